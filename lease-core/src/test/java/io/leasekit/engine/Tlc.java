package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import tlc2.TLC;

/**
 * Searches of one specification in {@code src/test/tla}. The configuration and the output of every run stay in {@code
 * target/tlc}.
 */
final class Tlc {

    /** Whether there are larger searches, by {@code -Dleasekit.tlc=long}, as each night. */
    static final boolean LONG = "long".equals(System.getProperty("leasekit.tlc"));

    private static final Duration TIME_LIMIT = LONG ? Duration.ofHours(1) : Duration.ofMinutes(20);
    private static final Path RUNS = Path.of("target", "tlc");

    private final Path specification;
    private final Path scratch;

    Tlc(Path specification, Path scratch) {
        this.specification = specification;
        this.scratch = scratch;
    }

    record Result(int exitCode, String output) {}

    /** Runs TLC in a JVM of its own, because TLC ends its JVM. */
    Result search(
            String name, Map<String, String> constants, List<String> configuration, String invariants, int workers)
            throws Exception {
        Path run = Files.createDirectories(RUNS.resolve(name.replaceAll("\\W+", "-")));
        Files.write(run.resolve(specification.getFileName()), Files.readAllBytes(specification));
        Files.write(run.resolve("run.cfg"), configuration(constants, configuration, invariants));
        Path output = run.resolve("output.txt").toAbsolutePath();
        Process tlc = new ProcessBuilder(command(workers))
                .directory(run.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(tlc.waitFor(TIME_LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                    .as("TLC ends within %s, see %s", TIME_LIMIT, output)
                    .isTrue();
        } finally {
            tlc.destroyForcibly();
        }
        return new Result(tlc.exitValue(), Files.readString(output));
    }

    private List<String> command(int workers) throws URISyntaxException {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                // a short search ends before the optimizing compiler pays off
                LONG ? "-XX:TieredStopAtLevel=4" : "-XX:TieredStopAtLevel=1",
                LONG ? "-Xmx4g" : "-Xmx1g",
                // TLC unpacks its standard modules there
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                Path.of(TLC.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString(),
                TLC.class.getName(),
                "-metadir",
                scratch.resolve("states").toString(),
                "-workers",
                String.valueOf(workers),
                "-config",
                "run.cfg",
                specification.getFileName().toString());
    }

    private static List<String> configuration(
            Map<String, String> constants, List<String> configuration, String invariants) {
        List<String> lines = new ArrayList<>(configuration);
        lines.add("SPECIFICATION Spec");
        lines.add("CONSTANTS");
        constants.forEach((name, value) -> lines.add("  " + name + " = " + value));
        lines.add("CHECK_DEADLOCK FALSE");
        lines.add("INVARIANTS " + invariants);
        return lines;
    }

    /** Returns {@code base} with these assignments. Only an empty base accepts new names. */
    static Map<String, String> constants(Map<String, String> base, String... assignments) {
        Map<String, String> constants = new TreeMap<>(base);
        for (String assignment : String.join(", ", assignments).split(", (?=\\w+=)", -1)) {
            String[] sides = assignment.split("=", 2);
            String former = constants.put(sides[0], sides[1].replace('\'', '"'));
            assertThat(former != null || base.isEmpty())
                    .as("Constant '%s' is known", sides[0])
                    .isTrue();
        }
        return constants;
    }
}
