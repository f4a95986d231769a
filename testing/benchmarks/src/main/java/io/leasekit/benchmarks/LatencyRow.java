package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.List;

/** Measures many held locks when each request begins to take long, however few there are: the path is slow, not the table. */
final class LatencyRow implements Row {

    /** As many for each second of their ttl as 2,000 locks with a ttl of 10 s. */
    private static final int COUNT = 4_000;

    private static final int QUICK = 400;
    private static final List<Integer> MILLIS = List.of(700, 1_500);
    /** Time after the last acquire, for two heartbeats. */
    private static final long BEFORE_MILLIS = 10_000;

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String title() {
        return "locks held while each request takes 0.7 or 1.5 s for 60 s (quick: 30 s), " + Stress.LOCKS;
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        Stress.warmUp(lab, options);
        long slow = options.scale(60_000, 30_000);
        for (int count : options.leases(List.of(COUNT), QUICK)) {
            for (int millis : MILLIS) {
                Stress stress = new Stress(name(), count + ", " + millis + " ms", count);
                for (Contender who : options.chosen(Stress.CONTENDERS)) {
                    results.add(stress.run(
                            lab, who, BEFORE_MILLIS + slow, (worker, values) -> slowDown(lab, millis, slow)));
                }
            }
        }
        return results;
    }

    private static void slowDown(Lab lab, int millis, long slow) {
        Work.pause(BEFORE_MILLIS);
        lab.begin(TroubleHandler.DELAY + millis);
        Work.pause(slow);
        lab.begin(TroubleHandler.NONE);
    }
}
