import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes again and again in one JVM, each time in another order of classes and methods, and prints the runs and failures of each.
 * Arguments: file for the results, repetitions, seed (0: a new one each time), names of classes. {@code sieve} calls it.
 */
class Sieve {

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[1]);
        long given = Long.parseLong(args[2]);
        List<String> classes = Arrays.asList(args).subList(3, args.length);
        Map<String, Integer> runs = new TreeMap<>();
        Map<String, List<String>> failures = new TreeMap<>();
        Launcher launcher = LauncherFactory.create();
        try (PrintStream results = new PrintStream(args[0])) {
            for (int i = 1; i <= times; i++) {
                long seed = given == 0 ? new Random().nextInt(Integer.MAX_VALUE) : given;
                results.println("Repetition " + i + " with seed " + seed);
                launcher.execute(request(seed, classes), new TestExecutionListener() {
                    @Override
                    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                        String name = test.getSource().map(Sieve::nameOf).orElse(test.getDisplayName());
                        if (test.isTest()) {
                            runs.merge(name, 1, Integer::sum);
                        }
                        result.getThrowable().ifPresent(failure -> {
                            failures.computeIfAbsent(name, any -> new ArrayList<>()).add(Long.toString(seed));
                            results.println("  failed: " + name + " " + test.getDisplayName());
                            failure.printStackTrace(results);
                        });
                    }
                });
            }
            results.printf("%n%7s %8s  class%n", "tests", "failures");
            runs.keySet().forEach(name -> failures.putIfAbsent(name, List.of()));
            failures.forEach((name, seeds) -> results.printf(
                    "%7d %8d  %s%s%n", runs.getOrDefault(name, 0), seeds.size(), name, seeds.isEmpty() ? "" : " seeds " + seeds));
        }
        boolean failed = runs.isEmpty() || failures.values().stream().anyMatch(seeds -> !seeds.isEmpty());
        System.exit(failed ? 1 : 0);
    }

    private static LauncherDiscoveryRequest request(long seed, List<String> classes) {
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(classes.stream().map(name -> selectClass(name)).toList())
                .filters(TagFilter.excludeTags("instruments")) // needs a JVM of its own
                .configurationParameter("junit.jupiter.testmethod.order.default", "org.junit.jupiter.api.MethodOrderer$Random")
                .configurationParameter("junit.jupiter.testclass.order.default", "org.junit.jupiter.api.ClassOrderer$Random")
                .configurationParameter("junit.jupiter.execution.order.random.seed", Long.toString(seed))
                .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true")
                .build();
    }

    private static String nameOf(TestSource source) {
        if (source instanceof MethodSource method) {
            return method.getClassName();
        }
        return source instanceof ClassSource type ? type.getClassName() : source.toString();
    }
}
