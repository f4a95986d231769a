package io.leasekit.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Measures with JMH the overhead of an annotated call, without a network. */
final class OverheadRow implements Row {

    @Override
    public String name() {
        return "overhead";
    }

    @Override
    public String title() {
        return "an annotated call with a store in memory (JMH, average time)";
    }

    @Override
    public List<io.leasekit.benchmarks.Result> run(Lab lab, Options options) throws RunnerException {
        List<io.leasekit.benchmarks.Result> results = new ArrayList<>();
        for (RunResult run : new Runner(options(options)).run()) {
            Result<?> primary = run.getPrimaryResult();
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("us a call", Values.round(primary.getScore()));
            values.put("99.9 % error", Values.round(primary.getScoreError()));
            String name = primary.getLabel();
            results.add(new io.leasekit.benchmarks.Result(
                    "overhead",
                    name.endsWith("Expression") ? "key by an expression" : "literal key",
                    name.startsWith("shedLock") ? "ShedLock" : "Leasekit",
                    name,
                    values,
                    Map.of()));
        }
        return results;
    }

    private static org.openjdk.jmh.runner.options.Options options(Options options) {
        return new OptionsBuilder()
                .include(AnnotationOverhead.class.getSimpleName())
                .forks(options.scale(3, 1))
                .warmupIterations(options.scale(12, 2))
                .measurementIterations(options.scale(6, 2))
                .warmupTime(TimeValue.seconds(1))
                .measurementTime(TimeValue.seconds(1))
                .build();
    }
}
