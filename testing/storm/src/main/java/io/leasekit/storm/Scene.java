package io.leasekit.storm;

import java.time.Duration;
import java.util.List;

/** What all processes of a storm share: tables, keys and times. */
final class Scene {

    static final String LEASES = "leases";
    static final String REFEREE = "referee";

    /** Few, so that the processes contend for them. */
    static final List<String> KEYS = List.of("alpha", "beta", "gamma");

    /** A key whose runs have names in any order. */
    static final String JOB = "job";

    /** A key whose runs have growing names. */
    static final String GROWING_JOB = "growing-job";

    /** The process that acquires every key once all others have ended. */
    static final String LAST = "last";

    static final Duration TTL = Duration.ofSeconds(3);

    /** Time after which the name of the present run changes. */
    static final Duration SLOT = Duration.ofMillis(1_500);

    private Scene() {}

    static List<String> allKeys() {
        return List.of("alpha", "beta", "gamma", JOB, GROWING_JOB);
    }
}
