package io.leasekit.dynamodb.local;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/**
 * Program that runs DynamoDB Local: in memory, on the loopback interface only, without telemetry.
 *
 * <p>Options: {@code --port=<n>} (0, the default, selects a free port), {@code --idle-timeout=<seconds>} (exits after
 * that time without requests) and {@code --end-with-parent} (exits at the end of standard input, which is when the
 * parent process ends).
 *
 * <p>When the server accepts requests, it prints {@value #READY} and the port as one line on standard output. It exits
 * with status {@value #PORT_TAKEN} if it cannot listen on its port.
 */
public final class DynamoDbLocalServer {

    static final String READY = "DynamoDB Local is ready on port ";
    static final int PORT_TAKEN = 3;

    private DynamoDbLocalServer() {}

    /**
     * Runs the server.
     *
     * @param args the options described above
     * @throws IllegalArgumentException if an option is unknown or out of range
     */
    public static void main(String[] args) throws Exception {
        ServerOptions options = ServerOptions.parse(args);
        keepLogsQuiet();
        if (options.endWithParent()) {
            endWithStandardInput();
        }
        LoopbackServer server = startOrExit(options.port());
        System.out.println(READY + server.port());
        if (options.idleTimeout().isPresent()) {
            awaitIdle(server, options.idleTimeout().get());
            System.exit(0);
        }
    }

    /**
     * Disables logging, whichever backend is on the class path. DynamoDB Local logs every failed condition as a warning
     * with a stack trace, and Logback without a configuration logs everything at DEBUG.
     */
    private static void keepLogsQuiet() {
        System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        System.setProperty("log4j.provider", "org.apache.logging.log4j.simple.internal.SimpleProvider");
    }

    /** The pipe from the parent closes however the parent ends, so neither polling nor a process id is needed. */
    private static void endWithStandardInput() {
        Thread watch = new Thread(DynamoDbLocalServer::exitAtEndOfInput, "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void exitAtEndOfInput() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // a broken pipe also means the end
        }
        System.exit(0);
    }

    private static LoopbackServer startOrExit(int port) throws Exception {
        try {
            return LoopbackServer.start(port);
        } catch (IOException e) {
            System.err.println("Could not listen on port " + port + ": " + e.getMessage());
            System.exit(PORT_TAKEN);
            throw e;
        }
    }

    private static void awaitIdle(LoopbackServer server, Duration timeout) throws InterruptedException {
        Duration left = timeout;
        while (left.compareTo(Duration.ZERO) > 0) {
            Thread.sleep(left.toMillis() + 1);
            left = server.untilIdle(timeout);
        }
    }
}
