package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures many held locks when the database is away for half a ttl. */
final class OutageRow implements Row {

    private static final int COUNT = 2_000;
    private static final int QUICK = 200;
    /** Time after the last acquire, for two heartbeats. */
    private static final long BEFORE_MILLIS = 10_000;

    private static final long OUTAGE_MILLIS = TimeUnit.SECONDS.toMillis(Holding.TTL_SECONDS) / 2;
    private static final long SOON_MILLIS = 10_000;

    @Override
    public String name() {
        return "outage";
    }

    @Override
    public String title() {
        return "locks held while the database is away for 10 s, and for 40 s more (quick: 15 s), " + Stress.LOCKS;
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        Stress.warmUp(lab, options);
        for (int count : options.leases(List.of(COUNT), QUICK)) {
            for (String outage : List.of(TroubleHandler.REFUSE, TroubleHandler.SWALLOW)) {
                for (Contender who : options.chosen(Stress.CONTENDERS)) {
                    results.add(run(lab, options, who, count, outage));
                }
            }
        }
        return results;
    }

    private Result run(Lab lab, Options options, Contender who, int count, String outage)
            throws JsonProcessingException {
        String setting = count + (outage.equals(TroubleHandler.REFUSE) ? ", refused" : ", swallowed");
        long after = options.scale(40_000, 15_000);
        long millis = BEFORE_MILLIS + OUTAGE_MILLIS + after;
        return new Stress(name(), setting, count)
                .run(lab, who, millis, (worker, values) -> interrupt(lab, worker, outage, after, values));
    }

    private static void interrupt(
            Lab lab, ChildJvm worker, String outage, long afterMillis, Map<String, Object> values) {
        Work.pause(BEFORE_MILLIS);
        WireCounts begun = lab.now();
        lab.begin(outage);
        Work.pause(OUTAGE_MILLIS);
        WireCounts ended = lab.now();
        lab.begin(TroubleHandler.NONE);
        worker.tell(StressWorker.RECOVERED);
        Work.pause(SOON_MILLIS);
        WireCounts soon = lab.now();
        Work.pause(afterMillis - SOON_MILLIS);
        values.put("requests in the outage", ended.since(begun).total());
        values.put("requests in the 10 s after it", soon.since(ended).total());
    }
}
