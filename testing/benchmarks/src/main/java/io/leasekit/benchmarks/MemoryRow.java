package io.leasekit.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Measures the live heap for each held lock and each waiting acquire, after full collections. */
final class MemoryRow implements Row {

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public String title() {
        return "heap per held lock, and per waiting acquireAsync with its future";
    }

    @Override
    public List<Result> run(Lab lab, Options options) throws JsonProcessingException {
        List<Result> results = new ArrayList<>();
        for (int count : options.quick() ? List.of(5_000) : List.of(5_000, 50_000)) {
            for (Contender who : options.chosen(List.of(Contender.LEASEKIT, Contender.AWS))) {
                results.add(result(who, count + " held", held(lab, who, count)));
            }
            for (String keys : List.of(WaitingWorker.ONE_KEY, WaitingWorker.OWN_KEYS)) {
                results.add(result(Contender.LEASEKIT, count + " waiting, " + keys, waiting(keys, count)));
            }
        }
        return results;
    }

    private static Result result(Contender who, String setting, long bytes) {
        return Result.of("memory", setting, who, Map.of("bytes", bytes), WireCounts.none());
    }

    private static long held(Lab lab, Contender who, int count) throws JsonProcessingException {
        List<String> args = List.of(who.name(), lab.stub(0).toString(), String.valueOf(count), "0");
        try (ChildJvm worker = ChildJvm.start(HoldingWorker.class, List.of("-Xmx1g"), args)) {
            return new ObjectMapper()
                    .readTree(worker.await(HoldingWorker.RESULT))
                    .path(HoldingWorker.BYTES)
                    .asLong();
        }
    }

    private static long waiting(String keys, int count) {
        List<String> args = List.of(keys, String.valueOf(count));
        try (ChildJvm worker = ChildJvm.start(WaitingWorker.class, List.of("-Xmx1g"), args)) {
            return Long.parseLong(worker.await(WaitingWorker.BYTES));
        }
    }
}
