package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures many locks on a database that takes all the processor time there is, and on one that throttles. ShedLock and
 * Spring's registry are excluded, because they send no heartbeats.
 */
final class SlowStoreRow implements Row {

    private static final List<Integer> COUNTS = List.of(2_000, 5_000, 10_000);
    private static final int QUICK = 200;
    private static final int THROTTLED = 2_000;
    /** Locks for each write that the proxy admits per second; renewals need one per five locks. */
    private static final int LOCKS_PER_WRITE = 4;

    @Override
    public String name() {
        return "slow store";
    }

    @Override
    public String title() {
        return "locks acquired and held for 90 s (quick: 30 s), " + Stress.LOCKS;
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        long millis = options.scale(90_000, 30_000);
        List<Result> results = new ArrayList<>();
        Stress.warmUp(lab, options);
        for (int count : options.leases(COUNTS, QUICK)) {
            for (Contender who : options.chosen(Stress.CONTENDERS)) {
                results.add(new Stress(name(), String.valueOf(count), count).hold(lab, who, millis));
            }
        }
        results.addAll(throttled(lab, options, millis));
        return results;
    }

    private List<Result> throttled(Lab lab, Options options, long millis) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        for (int count : options.leases(List.of(THROTTLED), QUICK)) {
            int capacity = count / LOCKS_PER_WRITE;
            Stress stress = new Stress(name(), count + ", proxy throttles above " + capacity + " writes/s", count);
            for (Contender who : options.chosen(Stress.CONTENDERS)) {
                lab.begin(TroubleHandler.THROTTLE + capacity);
                results.add(stress.hold(lab, who, millis));
                lab.begin(TroubleHandler.NONE);
            }
        }
        return results;
    }
}
