package io.leasekit.storm;

import io.leasekit.Lease;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The things that all processes of a storm share: tables, keys and times. */
final class Scene {

    static final String LEASES = "leases";
    static final String REFEREE = "referee";

    /** Few, so that the processes contend for them. */
    static final List<String> KEYS = List.of("alpha", "beta", "gamma");

    /** A key whose runs have names in any order. */
    static final String JOB = "job";

    /** A key whose runs have growing names. */
    static final String GROWING_JOB = "growing-job";

    /** A key with permits. */
    static final String EXPORT = "export";

    static final int PERMITS = 3;

    /** The key of the election. */
    static final String LEADER = "leader";

    /** The process that acquires every key once all others have ended. */
    static final String LAST = "last";

    static final Duration TTL = Duration.ofSeconds(3);

    /** Time after which the name of the present run changes. */
    static final Duration SLOT = Duration.ofMillis(1_500);

    /** A key of single leases only. The requests for it are recorded, to be replayed against the protocol's model. */
    static final String TRACED = "traced";

    private Scene() {}

    /** Returns all keys that one lease at a time has. */
    static List<String> exclusiveKeys() {
        return List.of("alpha", "beta", "gamma", JOB, GROWING_JOB, LEADER, TRACED);
    }

    /** Returns the key of the item of each permit. */
    static List<String> permitItems() {
        return IntStream.range(0, PERMITS).mapToObj(Scene::permitItem).toList();
    }

    private static String permitItem(int slot) {
        return EXPORT + "#permit=" + slot;
    }

    /** Returns the keys of the items that this lease holds. They are what excludes others. */
    static List<String> items(Lease lease) {
        return isPermit(lease) ? List.of(permitItem(lease.slot())) : lease.keys();
    }

    static boolean isPermit(Lease lease) {
        return lease.permits() > 0;
    }
}
