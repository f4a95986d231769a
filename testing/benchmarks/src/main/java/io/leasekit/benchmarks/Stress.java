package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Many locks that one process acquires with 50 threads and then holds, on DynamoDB Local behind a round trip of 10 ms.
 * The measurements of {@link SlowStoreRow}, {@link ColdStartRow} and {@link OutageRow}.
 *
 * @param row the name of the row
 * @param setting the setting of this measurement
 * @param count the number of locks
 */
record Stress(String row, String setting, int count) {

    /** Title of the locks of all these rows. */
    static final String LOCKS =
            "ttl 20 s, renewed every 5 s, acquired by 50 threads, 50 connections, DynamoDB Local, 10 ms round trip";

    static final List<Contender> CONTENDERS =
            List.of(Contender.LOOP_SINGLE, Contender.LOOP_BATCHED, Contender.AWS, Contender.LEASEKIT);

    private static final String RENEWED_AGAIN = "seconds until all renewed again";
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final long WARM_UP_MILLIS = 6_000;

    /** The events while the locks are held. */
    interface Script {

        /** Runs until the locks are no longer needed. May add values to the result. */
        void run(ChildJvm worker, Map<String, Object> values);
    }

    /** Runs each contender for some seconds, so that no measured one meets a database that has just started. */
    static void warmUp(Lab lab, Options options) throws JsonProcessingException {
        for (Contender who : options.chosen(CONTENDERS)) {
            new Stress("warm-up", "", options.scale(500, 100))
                    .run(lab, who, WARM_UP_MILLIS, (worker, values) -> Work.pause(WARM_UP_MILLIS));
        }
    }

    /** Measures one contender that holds the locks for a time. */
    Result hold(Lab lab, Contender who, long millis) throws JsonProcessingException {
        Result result = run(lab, who, millis, (worker, values) -> Work.pause(millis));
        result.values().remove(RENEWED_AGAIN);
        return result;
    }

    /**
     * Measures one contender.
     *
     * @param millis how long the script takes
     * @throws IllegalStateException if the process of the contender ends early, or does not end in time
     */
    Result run(Lab lab, Contender who, long millis, Script script) throws JsonProcessingException {
        Duration toAcquire = Duration.ofSeconds(60).plusMillis(30L * count);
        List<String> args = List.of(
                who.name(),
                lab.database(Lab.ROUND_TRIP_MILLIS).toString(),
                String.valueOf(count),
                String.valueOf(toAcquire.toSeconds()),
                "s" + RUNS.incrementAndGet() + "-"); // the locks of earlier runs are still in the tables
        Duration limit = toAcquire.plusMillis(millis).plusMinutes(1);
        WireCounts before = lab.counts();
        try (ChildJvm worker =
                ChildJvm.start(StressWorker.class, List.of("-Xmx512m"), args).within(limit)) {
            worker.await(StressWorker.HOLDS);
            WireCounts held = lab.now();
            Map<String, Object> scripted = new LinkedHashMap<>();
            script.run(worker, scripted);
            WireCounts ended = lab.now();
            worker.tell(StressWorker.END);
            Map<String, Object> values = new LinkedHashMap<>(new ObjectMapper()
                    .readValue(worker.await(StressWorker.RESULT), new TypeReference<Map<String, Object>>() {}));
            values.putAll(scripted);
            values.put("requests to acquire", held.since(before).total());
            values.put("requests while held", ended.since(held).total());
            Result result = Result.of(row, setting, who, values, ended.since(before));
            System.out.println(result);
            return result;
        }
    }
}
