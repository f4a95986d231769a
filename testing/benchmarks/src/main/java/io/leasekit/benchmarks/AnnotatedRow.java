package io.leasekit.benchmarks;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Measures the time that an annotated call takes in addition to its body. A pause between two calls, as between the
 * runs of a job, lets a release in background finish. Contenders without an annotation are called directly, as an
 * aspect would call them.
 */
final class AnnotatedRow implements Row {

    @Override
    public String name() {
        return "annotated";
    }

    @Override
    public String title() {
        return "an annotated call, seen by its caller";
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
        URI endpoint = lab.database(delay);
        List<Call> calls = new ArrayList<>();
        try (RawCalls netty = new RawCalls(RawLocks.netty(endpoint));
                RawCalls apache = new RawCalls(RawLocks.apache(endpoint));
                ConfigurableApplicationContext leasekit = Applications.leasekit(endpoint);
                ConfigurableApplicationContext shedLock = Applications.shedLock(endpoint);
                Locks aws = Contender.AWS.open(endpoint);
                Locks spring = Contender.SPRING.open(endpoint)) {
            LeasekitJobs leasekitJobs = leasekit.getBean(LeasekitJobs.class);
            ShedLockJobs shedLockJobs = shedLock.getBean(ShedLockJobs.class);
            calls.add(new Call("one raw write, Netty", "", netty));
            calls.add(new Call("one raw write, Apache 5", "", apache));
            calls.add(new Call("Leasekit", "@DistributedLease", leasekitJobs::literal));
            calls.add(new Call("ShedLock", "@SchedulerLock", () -> {
                shedLockJobs.literal();
                return 1;
            }));
            calls.add(new Call("AWS lock client", "by hand", () -> acquireAndRelease(aws)));
            calls.add(new Call("Spring lock registry", "by hand", () -> acquireAndRelease(spring)));
            measure(lab, options, calls, delay);
        }
        return calls.stream().map(call -> call.result(delay, calls)).toList();
    }

    private static int acquireAndRelease(Locks locks) throws Exception {
        locks.acquire("annotated").release();
        return 1;
    }

    private static void measure(Lab lab, Options options, List<Call> calls, long delay) throws Exception {
        int rounds = options.scale(10, 2);
        int times = options.scale(40, 10);
        for (Call call : calls) {
            call.run(options.scale(200, 20), delay, new ArrayList<>());
        }
        for (int round = 0; round < rounds; round++) {
            for (Call call : calls) {
                WireCounts before = lab.counts();
                call.run(times, delay, call.nanos);
                call.counts = call.counts.plus(lab.counts().since(before));
            }
        }
    }

    /** One raw write for each call: the acquire. The key is never released. */
    private static final class RawCalls implements Callable<Integer>, AutoCloseable {

        private final Locks locks;
        private int calls;

        RawCalls(Locks locks) {
            this.locks = locks;
        }

        @Override
        public Integer call() throws Exception {
            locks.acquire("annotated-" + this.hashCode() + "-" + calls++);
            return calls;
        }

        @Override
        public void close() throws IOException {
            locks.close();
        }
    }

    private static final class Call {

        private final String who;
        private final String settings;
        private final Callable<Integer> body;
        private final List<Long> nanos = new ArrayList<>();
        private WireCounts counts = WireCounts.none();

        Call(String who, String settings, Callable<Integer> body) {
            this.who = who;
            this.settings = settings;
            this.body = body;
        }

        void run(int times, long delay, List<Long> into) throws Exception {
            for (int i = 0; i < times; i++) {
                long begun = System.nanoTime();
                body.call();
                into.add(System.nanoTime() - begun);
                Work.pause(2 * delay + 10);
            }
        }

        private Stats stats() {
            return Stats.ofNanos(nanos.stream().mapToLong(n -> n).toArray());
        }

        Result result(long delay, List<Call> all) {
            Map<String, Object> values = new LinkedHashMap<>();
            stats().putInto(values, "call");
            boolean apache = who.contains("Apache") || who.startsWith("ShedLock") || who.startsWith("AWS");
            values.put(
                    "x one raw write",
                    Values.round(
                            stats().median() / all.get(apache ? 1 : 0).stats().median()));
            values.put("requests a call", Values.round(counts.total() / (double) nanos.size()));
            return new Result("annotated", delay + " ms", who, settings, values, counts.requests());
        }
    }
}
