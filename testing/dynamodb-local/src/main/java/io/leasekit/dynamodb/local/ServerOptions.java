package io.leasekit.dynamodb.local;

import java.time.Duration;
import java.util.Optional;

/**
 * The command line of {@link DynamoDbLocalServer}.
 *
 * @param port the port to listen on, or 0 for a free one
 * @param idleTimeout how long the server runs without requests; empty for no limit
 * @param endWithParent whether the server exits at the end of standard input
 */
record ServerOptions(int port, Optional<Duration> idleTimeout, boolean endWithParent) {

    static final String PORT = "--port=";
    static final String IDLE_TIMEOUT = "--idle-timeout=";
    static final String END_WITH_PARENT = "--end-with-parent";

    ServerOptions {
        checkPort(port);
        idleTimeout.ifPresent(ServerOptions::checkIdleTimeout);
    }

    static ServerOptions parse(String... args) {
        ServerOptions options = new ServerOptions(0, Optional.empty(), false);
        for (String arg : args) {
            options = options.with(arg);
        }
        return options;
    }

    private ServerOptions with(String arg) {
        if (arg.startsWith(PORT)) {
            return new ServerOptions(number(arg, PORT), idleTimeout, endWithParent);
        }
        if (arg.startsWith(IDLE_TIMEOUT)) {
            Duration timeout = Duration.ofSeconds(number(arg, IDLE_TIMEOUT));
            return new ServerOptions(port, Optional.of(timeout), endWithParent);
        }
        if (arg.equals(END_WITH_PARENT)) {
            return new ServerOptions(port, idleTimeout, true);
        }
        throw new IllegalArgumentException("Unknown option '" + arg + "'");
    }

    private static int number(String arg, String prefix) {
        try {
            return Integer.parseInt(arg.substring(prefix.length()));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Option '" + arg + "' needs a whole number", e);
        }
    }

    private static void checkPort(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("Port must be from 0 to 65535, but is " + port);
        }
    }

    static void checkIdleTimeout(Duration timeout) {
        if (timeout.toSeconds() < 1) {
            throw new IllegalArgumentException("Idle timeout must be at least PT1S, but is " + timeout);
        }
    }
}
