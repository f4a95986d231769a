package io.leasekit.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Process of {@link Stress}: acquires locks with 50 threads over 50 connections and holds them until the parent ends
 * it. Arguments: contender, endpoint, number of locks, seconds to acquire them at most, a word for the keys.
 */
final class StressWorker {

    static final String HOLDS = "holds";
    static final String RESULT = "result ";
    /** Line from the parent: the database is available again. */
    static final String RECOVERED = "recovered";
    /** Line from the parent: print the result. */
    static final String END = "end";

    private static final int CONNECTIONS = 50;
    private static final long SAMPLE_MILLIS = 200;

    private StressWorker() {}

    /** Runs the process. */
    public static void main(String[] args) throws Exception {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        ChildJvm.onLines(lines::add);
        RenewalTimes times = new RenewalTimes();
        List<String> keys = HoldingWorker.keys(args[4], Integer.parseInt(args[2]));
        Duration limit = Duration.ofSeconds(Long.parseLong(args[3]));
        try (Holding holding = Holding.open(Contender.valueOf(args[0]), URI.create(args[1]), CONNECTIONS, times)) {
            ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor(Acquired::daemon);
            sampler.scheduleAtFixedRate(holding::lost, SAMPLE_MILLIS, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            Acquired acquired = Acquired.acquire(holding, keys, limit);
            System.out.println(RESULT + new ObjectMapper().writeValueAsString(hold(holding, times, acquired, lines)));
        }
        Runtime.getRuntime().halt(0);
    }

    private static Map<String, Object> hold(
            Holding holding, RenewalTimes times, Acquired acquired, BlockingQueue<String> lines)
            throws InterruptedException {
        long writes = times.writes();
        long cpu = HoldingWorker.cpuNanos();
        long begun = System.nanoTime();
        System.out.println(HOLDS);
        for (String line = lines.take(); !line.equals(END); line = lines.take()) {
            if (line.equals(RECOVERED)) {
                times.recover();
            }
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        double heartbeats = acquired.count() * seconds / Holding.HEARTBEAT_SECONDS;
        int lost = holding.lost();
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("acquired", acquired.count());
        result.put("seconds to acquire", Values.round(acquired.seconds()));
        result.put("failed acquires", acquired.failed());
        result.put("lost", lost);
        result.put("latest renewal / ttl", Values.round(times.longestSeconds() / Holding.TTL_SECONDS));
        result.put("seconds until all renewed again", Values.round(times.secondsUntilRenewed(acquired.count() - lost)));
        result.put("writes per lease and heartbeat", Values.round((times.writes() - writes) / heartbeats));
        result.put("cores", Values.round((HoldingWorker.cpuNanos() - cpu) / 1e9 / seconds));
        return result;
    }
}
