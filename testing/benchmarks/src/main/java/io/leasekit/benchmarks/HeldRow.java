package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
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
    /** From this number on the stub answers, because DynamoDB Local cannot handle one write for each renewal. */
    private static final int STUB_FROM = 5_000;

    @Override
    public String name() {
        return "held";
    }

    @Override
    public String title() {
        return "locks held for 60 s, ttl 20 s, renewed every 5 s, 10 ms round trip";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        for (int count : options.quick() ? List.of(100, 5_000) : List.of(100, 1_000, 5_000, 10_000)) {
            List<Contender> contenders = options.chosen(CONTENDERS);
            for (Contender who : contenders) {
                results.add(run(lab, options, who, count));
            }
        }
        return results;
    }

    private static Result run(Lab lab, Options options, Contender who, int count) throws JsonProcessingException {
        boolean stub = count >= STUB_FROM;
        long delay = Lab.ROUND_TRIP_MILLIS;
        URI endpoint = stub ? lab.stub(delay) : lab.database(delay);
        long millis = options.scale(60_000, 22_000);
        List<String> args = List.of(who.name(), endpoint.toString(), String.valueOf(count), String.valueOf(millis));
        try (ChildJvm worker = ChildJvm.start(HoldingWorker.class, List.of("-Xmx512m"), args)) {
            worker.await(HoldingWorker.HOLDS);
            WireCounts before = lab.counts();
            String json = worker.await(HoldingWorker.RESULT);
            WireCounts counts = lab.counts().since(before);
            Map<String, Object> values = new LinkedHashMap<>(
                    new ObjectMapper().readValue(json, new TypeReference<Map<String, Object>>() {}));
            values.put("requests a second", Values.round(counts.total() * 1e3 / millis));
            return Result.of("held", count + (stub ? " (stub)" : ""), who, values, counts);
        }
    }
}
