package io.leasekit.engine;

import io.leasekit.dynamodb.LeaseTable;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Processes of {@link LeaseProcess} on one table of DynamoDB Local. Closing it ends them. */
final class LeaseProcesses implements AutoCloseable {

    static final String TABLE = "processes";

    private final List<Child> children = new ArrayList<>();
    private final Duration ttl;

    LeaseProcesses(Duration ttl) {
        this.ttl = ttl;
        try (DynamoDbAsyncClient client = LocalDynamoDb.clientBuilder().build()) {
            LeaseTable.of(client, TABLE).createIfMissing();
        }
    }

    /** A started process. Not thread-safe. */
    static final class Child {
        private final Process process;
        private final BufferedReader output;
        private final PrintStream input;

        private Child(Process process) {
            this.process = process;
            this.output = process.inputReader(StandardCharsets.UTF_8);
            this.input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        }

        void tell(String command) {
            input.println(command);
        }

        /** Waits for the next answer. Other output of the process goes to the test's output. */
        String answer() {
            try {
                String line = output.readLine();
                while (line != null && !line.startsWith(LeaseProcess.ANSWER)) {
                    System.out.println(line);
                    line = output.readLine();
                }
                return line == null ? "ended" : line.substring(LeaseProcess.ANSWER.length());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        String ask(String command) {
            tell(command);
            return answer();
        }

        /** Sends the process the signal of this name. */
        void signal(String name) throws Exception {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        }
    }

    /** Starts a process. Its first {@link Child#answer()} is "ready". */
    Child start(String owner, Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeaseProcess.class.getName(),
                        LocalDynamoDb.endpoint().toString(),
                        TABLE,
                        owner,
                        ttl.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Child child = new Child(builder.start());
        children.add(child);
        return child;
    }

    @Override
    public void close() {
        children.forEach(child -> child.process.destroyForcibly());
    }
}
