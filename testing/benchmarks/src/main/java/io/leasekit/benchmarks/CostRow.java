package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the cost in requests: of a cycle, of a refused attempt, and of one second of waiting for a held lock. */
final class CostRow implements Row {

    private static final List<Contender> CONTENDERS =
            List.of(Contender.LEASEKIT, Contender.AWS, Contender.SHEDLOCK, Contender.SPRING);
    private static final int TIMES = 20;
    /** Time until the pauses of a waiter have reached their maximum. */
    private static final long SETTLE_MILLIS = 10_000;

    @Override
    public String name() {
        return "cost";
    }

    @Override
    public String title() {
        return "requests per cycle, per refused attempt, and per second of one waiter of a lock that stays held";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws Exception {
        List<Result> results = new ArrayList<>();
        for (Contender who : options.chosen(CONTENDERS)) {
            results.addAll(run(lab, options, who));
        }
        return results;
    }

    private static List<Result> run(Lab lab, Options options, Contender who) throws Exception {
        String key = "cost-" + who;
        long millis = options.scale(30_000, 5_000);
        try (Locks holder = who.open(lab.database(0));
                Locks other = who.open(lab.database(0))) {
            holder.acquire(key + "-first").release();
            other.acquire(key + "-second").release();

            WireCounts before = lab.counts();
            for (int i = 0; i < TIMES; i++) {
                holder.acquire(key).release();
            }
            List<Result> results = new ArrayList<>();
            results.add(result(who, "a cycle", TIMES, lab.counts().since(before)));

            Locks.Held held = holder.acquire(key);
            before = lab.counts();
            for (int i = 0; i < TIMES; i++) {
                if (other.tryOnce(key)) {
                    throw new IllegalStateException(who + " acquired a lock that is held");
                }
            }
            results.add(result(who, "a refused attempt", TIMES, lab.counts().since(before)));

            Thread waiter = new Thread(() -> waitFor(other, key));
            waiter.setDaemon(true);
            waiter.start();
            Work.pause(SETTLE_MILLIS);
            before = lab.counts();
            Work.pause(millis);
            results.add(result(
                    who, "a second of waiting", millis / 1e3, lab.counts().since(before)));
            held.release();
            waiter.join();
            return results;
        }
    }

    private static void waitFor(Locks locks, String key) {
        try {
            locks.acquire(key).release();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Result result(Contender who, String setting, double per, WireCounts counts) {
        Map<String, Object> values = new LinkedHashMap<>();
        long reads = counts.requests().getOrDefault("GetItem", 0L);
        values.put("reads", Values.round(reads / per));
        values.put("writes", Values.round((counts.total() - reads) / per));
        return Result.of("cost", setting, who, values, counts);
    }
}
