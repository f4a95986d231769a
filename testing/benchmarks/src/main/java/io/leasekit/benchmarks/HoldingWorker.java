package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Process of {@link HeldRow} and {@link MemoryRow}. Arguments: contender, endpoint, number of locks, milliseconds, and
 * optionally a word for the keys, which differs between processes that use the same table.
 */
final class HoldingWorker {

    static final String HOLDS = "holds";
    static final String RESULT = "result ";
    static final String BYTES = "heap per lock bytes";

    private static final Duration LIMIT = Duration.ofMinutes(3);

    private HoldingWorker() {}

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithParent();
        RenewalWatch watch = new RenewalWatch();
        Contender who = Contender.valueOf(args[0]);
        List<String> keys = keys(args.length > 4 ? args[4] : "", Integer.parseInt(args[2]));
        try (Holding holding = Holding.open(who, URI.create(args[1]), Clients.CONNECTIONS, watch)) {
            Map<String, Object> result = run(holding, watch, keys, Long.parseLong(args[3]));
            System.out.println(RESULT + new ObjectMapper().writeValueAsString(result));
        }
        Runtime.getRuntime().halt(0);
    }

    /** Returns keys that {@link RenewalWatch} recognizes. */
    static List<String> keys(String word, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> RenewalWatch.PREFIX + word + i)
                .toList();
    }

    private static Map<String, Object> run(Holding holding, RenewalWatch watch, List<String> keys, long millis)
            throws Exception {
        int count = keys.size();
        int first = count / 2; // one-time allocations are done by then
        int failed = Acquired.acquire(holding, keys.subList(0, first), LIMIT).failed();
        long heap = Heap.used();
        failed += Acquired.acquire(holding, keys.subList(first, count), LIMIT).failed();
        long perLock = (Heap.used() - heap) / (count - first);
        long cpu = cpuNanos();
        int threads = threads();
        watch.begin();
        System.out.println(HOLDS);
        long begun = System.nanoTime();
        Work.pause(millis);
        double seconds = (System.nanoTime() - begun) / 1e9;
        Map<String, Object> result = new LinkedHashMap<>();
        int lost = failed + holding.lost();
        result.put("failed acquires", failed);
        result.put("lost", lost);
        result.put("lost %", Values.round(100.0 * lost / count));
        result.put("longest between renewals s", Values.round(watch.longestSeconds()));
        result.put("renewals a second", Values.round(watch.renewals() / seconds));
        result.put("cores", Values.round((cpuNanos() - cpu) / 1e9 / seconds));
        result.put("threads, first and last", threads + ", " + threads());
        result.put(BYTES, perLock);
        return result;
    }

    private static int threads() {
        return ManagementFactory.getThreadMXBean().getThreadCount();
    }

    static long cpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
