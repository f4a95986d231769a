package io.leasekit.storm;

import io.leasekit.storm.Recording.Line;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tlc2.TLC;

/**
 * TLC's answer to the question whether recorded lines are a behaviour of {@code LeaseTrace.tla}.
 *
 * @param lines the number of lines
 * @param refused the first line that continues none of the behaviours; {@code null}: there is none
 * @param invariant the invariant of {@code Lease.tla} that is violated on the way; {@code null}: none
 */
record Replay(int lines, @Nullable Line refused, @Nullable String invariant) {

    private static final Path SPECIFICATION = Path.of("src", "test", "tla");
    private static final Path LEASE = Path.of("..", "..", "lease-core", "src", "test", "tla", "Lease.tla");

    private static final int TIME_LIMIT_MINUTES = 20;
    private static final int NO_ERROR = 0;
    private static final int INVARIANT_VIOLATED = 12;

    private static final Pattern REACHED = Pattern.compile("<<\"reached\", (\\d+), \"of\", (\\d+)>>");
    private static final Pattern VIOLATED = Pattern.compile("Invariant (\\w+) is violated");

    /** Replays these lines. The folder then has the modules and TLC's output. */
    static Replay of(Recording recording, Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("TraceData.tla"), TraceModule.of(recording));
        for (Path module :
                List.of(LEASE, SPECIFICATION.resolve("LeaseTrace.tla"), SPECIFICATION.resolve("LeaseTrace.cfg"))) {
            Files.copy(module, folder.resolve(module.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        }
        Path output = folder.resolve("output.txt");
        return answer(recording.lines(), run(folder, output), Files.readString(output), output);
    }

    boolean isAccepted() {
        return refused == null && invariant == null;
    }

    private static Replay answer(List<Line> lines, int exitCode, String output, Path file) {
        int reached = 0;
        for (Matcher step = REACHED.matcher(output); step.find(); ) {
            reached = Integer.parseInt(step.group(1));
        }
        Matcher violated = VIOLATED.matcher(output);
        if (exitCode == INVARIANT_VIOLATED && violated.find()) {
            return new Replay(lines.size(), null, violated.group(1));
        }
        if (exitCode != NO_ERROR || reached == 0) {
            throw new IllegalStateException("TLC ended with status " + exitCode + ", see " + file);
        }
        return new Replay(lines.size(), reached > lines.size() ? null : lines.get(reached - 1), null);
    }

    /** Runs TLC in a JVM of its own, because TLC ends its JVM. */
    private static int run(Path folder, Path output) throws IOException, InterruptedException {
        Process tlc = new ProcessBuilder(command())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!tlc.waitFor(TIME_LIMIT_MINUTES, TimeUnit.MINUTES)) {
                throw new IllegalStateException(
                        "TLC does not end within %d minutes, see %s".formatted(TIME_LIMIT_MINUTES, output));
            }
            return tlc.exitValue();
        } finally {
            tlc.destroyForcibly();
        }
    }

    private static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx1g",
                "-Djava.io.tmpdir=.", // TLC unpacks its standard modules there
                "-cp",
                tools(),
                TLC.class.getName(),
                "-metadir",
                "states",
                "-workers",
                "1",
                "-config",
                "LeaseTrace.cfg",
                "LeaseTrace.tla");
    }

    private static String tools() {
        try {
            return Path.of(TLC.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        if (invariant != null) {
            return "Invariant %s is violated within %d lines".formatted(invariant, lines);
        }
        return refused == null ? "Accepted: %d lines".formatted(lines) : "Refused: " + refused;
    }
}
