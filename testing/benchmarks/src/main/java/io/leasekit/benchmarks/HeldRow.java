package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures many locks that one process holds for a minute. ShedLock and Spring's registry are excluded, because they
 * send no heartbeats.
 */
final class HeldRow implements Row {

    private static final List<Contender> CONTENDERS = List.of(Contender.RAW_NETTY, Contender.LEASEKIT, Contender.AWS);
    /**
     * From this number on the stub answers, because DynamoDB Local cannot handle one write for each renewal. This very
     * number is measured with both.
     */
    private static final int STUB_FROM = 5_000;

    private static final int QUICK = 100;
    private static final Duration LIMIT = Duration.ofMinutes(8);

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String title() {
        return "locks held for 60 s, ttl 20 s, renewed every 5 s, 10 ms round trip,"
                + " DynamoDB Local or a stub that never slows (stub)";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        for (int count : options.leases(List.of(100, 1_000, 5_000, 10_000), QUICK)) {
            for (boolean stub : databases(count, options)) {
                for (Contender who : options.chosen(CONTENDERS)) {
                    results.add(run(lab, options, who, count, stub));
                }
            }
        }
        return results;
    }

    /** Returns whether to measure with the stub, with DynamoDB Local, or with one after the other. */
    private static List<Boolean> databases(int count, Options options) {
        if (count == STUB_FROM || options.quick()) {
            return List.of(false, true);
        }
        return List.of(count > STUB_FROM);
    }

    private static Result run(Lab lab, Options options, Contender who, int count, boolean stub)
            throws JsonProcessingException {
        long delay = Lab.ROUND_TRIP_MILLIS;
        URI endpoint = stub ? lab.stub(delay) : lab.database(delay);
        long millis = options.scale(60_000, 22_000);
        String word = count + "-"; // the locks of the last count are still in the table
        List<String> args =
                List.of(who.name(), endpoint.toString(), String.valueOf(count), String.valueOf(millis), word);
        try (ChildJvm worker =
                ChildJvm.start(HoldingWorker.class, List.of("-Xmx512m"), args).within(LIMIT)) {
            worker.await(HoldingWorker.HOLDS);
            WireCounts before = lab.counts();
            String json = worker.await(HoldingWorker.RESULT);
            WireCounts counts = lab.counts().since(before);
            Map<String, Object> values = new LinkedHashMap<>(
                    new ObjectMapper().readValue(json, new TypeReference<Map<String, Object>>() {}));
            values.put("requests a second", Values.round(counts.total() * 1e3 / millis));
            return Result.of("held", count + (stub ? " (stub)" : " (DynamoDB Local)"), who, values, counts);
        }
    }
}
