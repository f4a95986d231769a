package io.leasekit.dynamodb.local;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * DynamoDB Local in a separate process, with the JDK and the class path of this one.
 *
 * <p>A process from {@link #start()} ends with {@link #close()}, or when this process ends, even if it is killed. A
 * process from {@link #startDetached} is independent of this one and stops when it is idle.
 *
 * <p>Thread-safe.
 */
public final class DynamoDbLocalProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration WINNER_TIMEOUT = Duration.ofSeconds(15);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);
    private static final long POLL_MILLIS = 50;

    private final Process process;
    private final URI endpoint;

    private DynamoDbLocalProcess(Process process, int port) {
        this.process = process;
        this.endpoint = Probe.endpoint(port);
    }

    /**
     * Starts a process on a free port and waits until it accepts requests.
     *
     * @throws IllegalStateException if it does not within ten minutes
     */
    public static DynamoDbLocalProcess start() {
        ProcessBuilder builder = builder(ServerOptions.END_WITH_PARENT).redirectErrorStream(true);
        Process process = launch(builder);
        try {
            return new DynamoDbLocalProcess(process, ServerOutput.of(process).awaitPort(START_TIMEOUT));
        } catch (RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    /**
     * Makes sure that DynamoDB Local answers on a port, and starts it there if it does not.
     *
     * <p>The started process outlives this one, even after Ctrl-C in its terminal, and stops when it is idle. If
     * several processes call this method at once, one of them starts it and all of them use it. Its error output goes
     * to a file in the directory for temporary files.
     *
     * @param port the port, not 0
     * @param idleTimeout how long a started process runs without requests, at least a second
     * @return the endpoint
     * @throws IllegalStateException if nothing answers within ten minutes, or another program uses the port
     */
    public static URI startDetached(int port, Duration idleTimeout) {
        if (port < 1) {
            throw new IllegalArgumentException("Port must be from 1 to 65535, but is " + port);
        }
        ServerOptions.checkIdleTimeout(idleTimeout);
        URI endpoint = Probe.endpoint(port);
        if (!Probe.answers(endpoint)) {
            startDetached(port, idleTimeout, endpoint);
        }
        return endpoint;
    }

    private static void startDetached(int port, Duration idleTimeout, URI endpoint) {
        File log = logFile(port);
        Process process =
                launch(builder(ServerOptions.PORT + port, ServerOptions.IDLE_TIMEOUT + idleTimeout.toSeconds())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log)));
        closeInput(process);
        awaitAnswer(process, endpoint, log);
    }

    /**
     * Waits until the endpoint answers. A process that loses a race for the port exits with {@code PORT_TAKEN}. At that
     * time, the winner already listens, and answers a little later.
     */
    private static void awaitAnswer(Process process, URI endpoint, File log) {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        boolean lost = false;
        while (!Probe.answers(endpoint)) {
            if (!lost && !process.isAlive()) {
                lost = true;
                deadline = System.nanoTime() + grace(process.exitValue()).toNanos();
            }
            if (System.nanoTime() - deadline > 0) {
                process.destroyForcibly();
                throw new IllegalStateException("DynamoDB Local does not answer on '%s': %s; its log is '%s'"
                        .formatted(endpoint, state(process), log));
            }
            pause();
        }
    }

    private static Duration grace(int exitStatus) {
        return exitStatus == DynamoDbLocalServer.PORT_TAKEN ? WINNER_TIMEOUT : Duration.ZERO;
    }

    private static String state(Process process) {
        if (process.isAlive()) {
            return "not ready after " + START_TIMEOUT;
        }
        return process.exitValue() == DynamoDbLocalServer.PORT_TAKEN
                ? "another program uses the port"
                : "its process ended with status " + process.exitValue();
    }

    private static ProcessBuilder builder(String... options) {
        return new ProcessBuilder(
                JavaCommand.outlivingTerminal(JavaCommand.of(DynamoDbLocalServer.class, List.of(options))));
    }

    private static Process launch(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "Could not start '" + builder.command().get(0) + "'", e);
        }
    }

    private static void closeInput(Process process) {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not close the input of process " + process.pid(), e);
        }
    }

    private static File logFile(int port) {
        String name = "dynamodb-local-%s-%d.log".formatted(System.getProperty("user.name"), port);
        return new File(System.getProperty("java.io.tmpdir"), name);
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while DynamoDB Local was starting", e);
        }
    }

    /** Returns the endpoint. */
    public URI endpoint() {
        return endpoint;
    }

    /** Returns the process, for tests that stop or pause it. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Stops the process, and kills it if it does not exit within five seconds. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
