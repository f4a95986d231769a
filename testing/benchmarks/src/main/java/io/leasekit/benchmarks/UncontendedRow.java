package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Measures acquire and release without contention, sequentially on one thread. */
final class UncontendedRow implements Row {

    @Override
    public String name() {
        return "uncontended";
    }

    @Override
    public String title() {
        return "acquire and release, nobody else wants the key";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws Exception {
        List<Result> results = new ArrayList<>();
        for (long delay : List.of(0L, Lab.ROUND_TRIP_MILLIS)) {
            results.addAll(run(lab, options, delay));
        }
        return results;
    }

    private static List<Result> run(Lab lab, Options options, long delay) throws Exception {
        int rounds = options.scale(10, 2);
        int cycles = options.scale(delay == 0 ? 300 : 60, 20);
        Map<Contender, Cycles> runs = new EnumMap<>(Contender.class);
        try {
            for (Contender who : options.chosen(Contender.UNCONTENDED)) {
                Cycles run = new Cycles(who.open(lab.database(delay)), rounds * cycles);
                runs.put(who, run);
                run.warmUp(options.scale(300, 20));
            }
            // in turns, so that other load on the machine affects all of them alike
            for (int round = 0; round < rounds; round++) {
                for (Cycles run : runs.values()) {
                    run.measure(lab, cycles);
                }
            }
        } finally {
            for (Cycles run : runs.values()) {
                run.locks.close();
            }
        }
        List<Result> results = new ArrayList<>();
        runs.forEach((who, run) -> results.add(result(delay, who, run, runs.get(who.yardstick()))));
        return results;
    }

    private static Result result(long delay, Contender who, Cycles run, @Nullable Cycles yardstick) {
        Map<String, Object> values = new LinkedHashMap<>();
        Stats stats = Stats.ofNanos(run.nanos);
        stats.putInto(values, "acquire and release");
        if (yardstick != null) {
            values.put(
                    "x raw",
                    Values.round(stats.median() / Stats.ofNanos(yardstick.nanos).median()));
        }
        values.put("requests a cycle", Values.round(run.counts.total() / (double) run.nanos.length));
        return Result.of("uncontended", delay + " ms", who, values, run.counts);
    }

    private static final class Cycles {

        private final Locks locks;
        private final long[] nanos;
        private int done;
        private WireCounts counts = WireCounts.none();

        Cycles(Locks locks, int size) {
            this.locks = locks;
            this.nanos = new long[size];
        }

        void warmUp(int times) throws Exception {
            for (int i = 0; i < times; i++) {
                locks.acquire("uncontended").release();
            }
        }

        void measure(Lab lab, int cycles) throws Exception {
            WireCounts before = lab.counts();
            for (int i = 0; i < cycles; i++) {
                long begun = System.nanoTime();
                locks.acquire("uncontended").release();
                nanos[done++] = System.nanoTime() - begun;
            }
            counts = counts.plus(lab.counts().since(before));
        }
    }
}
