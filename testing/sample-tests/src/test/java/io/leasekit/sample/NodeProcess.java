package io.leasekit.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** A {@link SampleNode} in a separate process. The test must end it. {@link #close()} sends SIGKILL. */
final class NodeProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

    private final List<LogLine> lines = new CopyOnWriteArrayList<>();
    private final Process process;
    private final Thread reader;

    /** A line of the log and the time at its begin. */
    record LogLine(Instant at, String text) {}

    private NodeProcess(List<String> command, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        process = builder.start();
        reader = new Thread(this::read, "node-output-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Launches a node on a free port. The properties are arguments of the sample without their dashes. */
    static NodeProcess start(Map<String, String> environment, List<String> properties) throws IOException {
        return start(environment, properties, SampleNode.class.getName());
    }

    /** Launches the sample as it was processed ahead of time. */
    static NodeProcess startProcessed(List<String> properties) throws IOException {
        return start(Map.of(), properties, "-Dspring.aot.enabled=true", SampleNode.Processed.class.getName());
    }

    private static NodeProcess start(Map<String, String> environment, List<String> properties, String... main)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(main));
        return start(command, environment, properties);
    }

    /** Launches the sample from this native image. */
    static NodeProcess startNative(String image, List<String> properties) throws IOException {
        return start(new ArrayList<>(List.of(image)), Map.of(), properties);
    }

    private static NodeProcess start(List<String> command, Map<String, String> environment, List<String> properties)
            throws IOException {
        command.add("--server.port=0");
        command.add("--spring.main.banner-mode=off");
        for (String property : properties) {
            command.add("--" + property);
        }
        return new NodeProcess(command, environment);
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                int end = Math.max(line.indexOf(' '), 0);
                lines.add(new LogLine(time(line.substring(0, end)), line));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            return Instant.MIN; // a line of a stack trace
        }
    }

    NodeProcess awaitStart() {
        await(START_TIMEOUT, "Started Sample");
        return this;
    }

    void await(Duration atMost, String text) {
        try {
            Awaitility.await("'" + text + "'")
                    .atMost(atMost)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> logs(text) || !reader.isAlive());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + " Output of " + this, e);
        }
        if (!logs(text)) {
            throw new AssertionError("Ended without '" + text + "': " + this);
        }
    }

    boolean logs(String text) {
        return lines.stream().anyMatch(line -> line.text().contains(text));
    }

    List<LogLine> lines(String text) {
        return lines.stream().filter(line -> line.text().contains(text)).toList();
    }

    List<Instant> times(String text) {
        return lines(text).stream().map(LogLine::at).toList();
    }

    /** Sends SIGTERM. {@link Process#destroy()} would also close the streams, which would end the node. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** Sends the signal with this name, such as STOP. */
    void signal(String name) throws IOException {
        try {
            int code = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("'kill -" + name + "' ended with " + code);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Sends SIGKILL. */
    void kill() {
        process.toHandle().destroyForcibly();
    }

    /** Waits for the end of the process and of its output; returns whether it has come. */
    boolean awaitEnd(Duration atMost) throws InterruptedException {
        boolean ended = process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS);
        if (ended) {
            reader.join();
        }
        return ended;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return "process " + process.pid() + ":\n"
                + String.join("\n", lines.stream().map(LogLine::text).toList());
    }
}
