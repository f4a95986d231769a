package io.leasekit.dynamodb.local;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Reads the output of a server process, so that it never blocks on a full pipe, and finds the port in it. */
final class ServerOutput {

    private static final int KEPT_LINES = 20;

    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    /** Used by the reading thread only. */
    private final Deque<String> lastLines = new ArrayDeque<>();

    private ServerOutput() {}

    static ServerOutput of(Process process) {
        ServerOutput output = new ServerOutput();
        Thread reader = new Thread(() -> output.readAll(process.inputReader()), "dynamodb-local-output");
        reader.setDaemon(true);
        reader.start();
        return output;
    }

    private void readAll(BufferedReader lines) {
        try (lines) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                read(line);
            }
        } catch (IOException e) {
            lastLines.add(e.toString());
        }
        port.completeExceptionally(new IllegalStateException(
                "DynamoDB Local exited before it was ready; its last lines are " + lastLines));
    }

    private void read(String line) {
        if (line.startsWith(DynamoDbLocalServer.READY)) {
            port.complete(Integer.valueOf(line.substring(DynamoDbLocalServer.READY.length())));
            return;
        }
        lastLines.add(line);
        if (lastLines.size() > KEPT_LINES) {
            lastLines.remove();
        }
    }

    int awaitPort(Duration timeout) {
        try {
            return port.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            throw new IllegalStateException("DynamoDB Local was not ready within " + timeout, e.getCause());
        }
    }
}
