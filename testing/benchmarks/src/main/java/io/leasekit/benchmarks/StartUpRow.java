package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the start-up time that the starter adds to an application that creates an SDK client and sends one request.
 */
final class StartUpRow implements Row {

    @Override
    public String name() {
        return "start-up";
    }

    @Override
    public String title() {
        return "start of a Spring Boot application, alternating, from main() to ready";
    }

    @Override
    public List<Result> run(Lab lab, Options options) {
        List<Long> starter = new ArrayList<>();
        List<Long> client = new ArrayList<>();
        for (int i = 0; i < options.scale(10, 2); i++) {
            client.add(start(lab, StartUpWorker.CLIENT));
            starter.add(start(lab, StartUpWorker.STARTER));
        }
        double base = stats(client).median();
        return List.of(
                result("Spring Boot", "the client, one request", stats(client), base),
                result("Leasekit", "the starter", stats(starter), base));
    }

    private static long start(Lab lab, String what) {
        List<String> args = List.of(what, lab.database(0).toString());
        try (ChildJvm worker = ChildJvm.start(StartUpWorker.class, List.of(), args)) {
            return Long.parseLong(worker.await(StartUpWorker.STARTED));
        }
    }

    private static Stats stats(List<Long> nanos) {
        return Stats.ofNanos(nanos.stream().mapToLong(n -> n).toArray());
    }

    private static Result result(String who, String settings, Stats stats, double base) {
        Map<String, Object> values = new LinkedHashMap<>();
        stats.putInto(values, "start");
        values.put("added ms", Values.round(stats.median() - base));
        return new Result("start-up", "0 ms", who, settings, values, Map.of());
    }
}
