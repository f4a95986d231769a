package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Process of {@link HeldRow} and {@link MemoryRow}. Arguments: contender, endpoint, number of locks, milliseconds. */
final class HoldingWorker {

    static final String HOLDS = "holds";
    static final String RESULT = "result ";
    static final String BYTES = "heap per lock bytes";

    private HoldingWorker() {}

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithParent();
        RenewalWatch watch = new RenewalWatch();
        try (Holding holding = holding(args[0], URI.create(args[1]), watch)) {
            Map<String, Object> result = run(holding, watch, Integer.parseInt(args[2]), Long.parseLong(args[3]));
            System.out.println(RESULT + new ObjectMapper().writeValueAsString(result));
        }
        Runtime.getRuntime().halt(0);
    }

    private static Holding holding(String who, URI endpoint, RenewalWatch watch) {
        return switch (Contender.valueOf(who)) {
            case LEASEKIT -> new LeasekitHolding(endpoint, watch);
            case AWS -> new AwsHolding(endpoint, watch);
            case RAW_NETTY -> new RawHolding(endpoint, watch);
            default -> throw new IllegalArgumentException(who + " has no heartbeats");
        };
    }

    private static Map<String, Object> run(Holding holding, RenewalWatch watch, int count, long millis)
            throws Exception {
        int first = count / 2; // one-time allocations are done by then
        holding.hold(first);
        long heap = Heap.used();
        holding.hold(count - first);
        long perLock = (Heap.used() - heap) / (count - first);
        long cpu = cpuNanos();
        int threads = threads();
        watch.begin();
        System.out.println(HOLDS);
        long begun = System.nanoTime();
        Work.pause(millis);
        double seconds = (System.nanoTime() - begun) / 1e9;
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("lost", holding.lost());
        result.put("lost %", Values.round(100.0 * holding.lost() / count));
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

    private static long cpuNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
