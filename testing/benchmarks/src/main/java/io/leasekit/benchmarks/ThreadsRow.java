package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Measures one key under constant contention of all threads of one process. */
final class ThreadsRow implements Row {

    static final long WORK_MILLIS = 5;
    private static final long WARM_UP_MILLIS = 2_000;

    @Override
    public String name() {
        return "threads";
    }

    @Override
    public String title() {
        return "one key, threads of one process, 5 ms of work, 10 ms round trip";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws Exception {
        List<Result> results = new ArrayList<>();
        double raw = Double.NaN;
        List<Contender> all = new ArrayList<>(List.of(Contender.RAW_NETTY));
        all.addAll(options.chosen(Contender.WAITING));
        for (Contender who : all) {
            Result result = run(lab, options, who, who == Contender.RAW_NETTY ? 1 : 16, raw);
            raw = Double.isNaN(raw) ? perSecond(result) : raw;
            results.add(result);
        }
        if (options.contenders().isEmpty() || options.contenders().contains("leasekit")) {
            results.add(run(lab, options, Contender.LEASEKIT, 160, raw));
        }
        return results;
    }

    private static double perSecond(Result result) {
        return ((Number) result.values().getOrDefault("sections a second", Double.NaN)).doubleValue();
    }

    private static Result run(Lab lab, Options options, Contender who, int threads, double raw) throws Exception {
        long millis = options.scale(20_000, 4_000);
        String key = "threads-" + who + threads;
        try (Locks locks = who.open(lab.database(Lab.ROUND_TRIP_MILLIS))) {
            loop(locks, key, 1, WARM_UP_MILLIS);
            WireCounts before = lab.counts();
            long begun = System.nanoTime();
            Sections sections = loop(locks, key, threads, millis);
            double seconds = (System.nanoTime() - begun) / 1e9;
            WireCounts counts = lab.counts().since(before);
            Map<String, Object> values = sections.values(seconds, counts);
            if (!Double.isNaN(raw)) {
                values.put("x one raw thread", Values.round(sections.list().size() / seconds / raw));
            }
            return Result.of("threads", threads + (threads == 1 ? " thread" : " threads"), who, values, counts);
        }
    }

    private static Sections loop(Locks locks, String key, int threads, long millis) throws InterruptedException {
        Queue<Section> sections = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + millis * 1_000_000;
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int who = i;
            running.add(new Thread(() -> loop(locks, key, who, end, sections)));
        }
        running.forEach(Thread::start);
        for (Thread thread : running) {
            thread.join();
        }
        return new Sections(List.copyOf(sections), threads, 1);
    }

    private static void loop(Locks locks, String key, int who, long end, Queue<Section> sections) {
        try {
            while (System.nanoTime() - end < 0) {
                sections.add(Section.run(who, locks, key, WORK_MILLIS));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
