package io.leasekit.engine;

import io.leasekit.store.LeaseStore;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Present versions with another form of their items, which they write and read consistently. So they keep all promises among
 * themselves, and break one beside the previous version.
 */
enum MixedMutants {

    /** The previous version takes a lease over after a thousandth of its ttl. */
    TTL_IN_SECONDS(
            Map.of("durationMillis", millis -> ((Long) millis + 999) / 1_000),
            Map.of("durationMillis", seconds -> (Long) seconds * 1_000)),

    /** This version takes a lease of the previous one 5 s before its end. */
    EXPIRY_WITH_A_GRACE(
            Map.of("expiry", end -> (Long) end + 5, "freeBelow", bound -> (Long) bound + 5),
            Map.of("expiry", end -> (Long) end - 5)),

    /** This version does not know the runs of the previous one. */
    RUNS_WITH_A_PREFIX(
            Map.of("once", MixedMutants::prefixed, "name", MixedMutants::prefixed),
            Map.of("name", name -> ((String) name).replace("run-", "")));

    private static Object prefixed(Object name) {
        return "run-" + name;
    }

    private final VersionBridge form;

    MixedMutants(Map<String, UnaryOperator<Object>> written, Map<String, UnaryOperator<Object>> read) {
        ClassLoader classes = MixedMutants.class.getClassLoader();
        form = new VersionBridge(new VersionBridge.Side(classes, read), new VersionBridge.Side(classes, written));
    }

    /** Returns the way to the table that writes and reads this form. */
    LeaseStore way(LeaseStore right) {
        return form.here(LeaseStore.class, right);
    }
}
