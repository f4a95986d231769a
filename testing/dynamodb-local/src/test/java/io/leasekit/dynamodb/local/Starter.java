package io.leasekit.dynamodb.local;

import java.time.Duration;
import java.util.List;

/** A program that starts DynamoDB Local like an application, for tests that end it abruptly. */
final class Starter {

    private Starter() {}

    /** Starts a process and waits. With the arguments port and seconds, starts a detached process and returns. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.out.println(DynamoDbLocalProcess.start().endpoint());
            Thread.currentThread().join();
        }
        int port = Integer.parseInt(args[0]);
        Duration idleTimeout = Duration.ofSeconds(Long.parseLong(args[1]));
        System.out.println(DynamoDbLocalProcess.startDetached(port, idleTimeout));
    }

    static Process run(String... args) throws Exception {
        return new ProcessBuilder(JavaCommand.of(Starter.class, List.of(args)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
