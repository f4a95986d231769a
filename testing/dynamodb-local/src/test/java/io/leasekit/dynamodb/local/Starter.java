package io.leasekit.dynamodb.local;

import java.time.Duration;
import java.util.List;

/** A program that starts DynamoDB Local as an application would, for tests that end it in rude ways. */
final class Starter {

    private Starter() {}

    /** Without arguments: starts a process of its own and waits. With port and seconds: a detached one, and ends. */
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
