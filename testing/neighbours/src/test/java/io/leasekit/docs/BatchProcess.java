package io.leasekit.docs;

import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** A {@link BatchNode} as seen by its test. {@link #close()} kills it. */
final class BatchProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Process process;
    private final Thread reader;

    private BatchProcess(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = new Thread(this::read, "node-output-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Launches a node with its leases in this table and its jobs in this database. */
    static BatchProcess start(String table, Duration ttl, String database, String... properties) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of("-Daws.accessKeyId=local", "-Daws.secretAccessKey=local", BatchNode.class.getName()));
        command.addAll(List.of(
                "--spring.main.banner-mode=off",
                "--spring.main.web-application-type=none",
                "--node.database=" + database,
                "--lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                "--lease.dynamodb.region=us-east-1",
                "--lease.table.name=" + table,
                "--lease.ttl=" + ttl.toSeconds() + "s"));
        for (String property : properties) {
            command.add("--" + property);
        }
        return new BatchProcess(command);
    }

    private void read() {
        try (BufferedReader output = process.inputReader()) {
            output.lines().forEach(lines::add);
        } catch (UncheckedIOException | IOException e) {
            lines.add(e.toString()); // the process was killed
        }
    }

    void await(String text) {
        try {
            Awaitility.await("'" + text + "'")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> prints(text) || !reader.isAlive());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + " Output of " + this, e);
        }
        if (!prints(text)) {
            throw new AssertionError("Ended without '" + text + "': " + this);
        }
    }

    boolean prints(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public String toString() {
        return "process " + process.pid() + ":\n" + String.join("\n", lines);
    }
}
