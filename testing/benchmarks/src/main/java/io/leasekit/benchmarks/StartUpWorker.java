package io.leasekit.benchmarks;

import java.net.URI;
import org.springframework.context.ConfigurableApplicationContext;

/** Process of {@link StartUpRow}. Arguments: with the starter or only with a client; endpoint. */
final class StartUpWorker {

    static final String STARTER = "starter";
    static final String CLIENT = "client";
    static final String STARTED = "started ";

    private StartUpWorker() {}

    /** Runs the process. */
    public static void main(String[] args) {
        long begun = System.nanoTime();
        URI endpoint = URI.create(args[1]);
        try (ConfigurableApplicationContext application =
                args[0].equals(STARTER) ? Applications.leasekit(endpoint) : Applications.clientOnly(endpoint)) {
            System.out.println(STARTED + (application.isActive() ? System.nanoTime() - begun : -1));
        }
        Runtime.getRuntime().halt(0);
    }
}
