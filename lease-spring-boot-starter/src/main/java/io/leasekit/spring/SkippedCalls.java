package io.leasekit.spring;

import io.leasekit.LeaseInfo;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What was skipped, by method: how often, and the last time in whose favour. By method and not by key, so that it does not
 * grow with the keys. Thread-safe.
 */
final class SkippedCalls {

    /**
     * The skipped calls of one method.
     *
     * @param unavailable how many were skipped because another held the lease
     * @param storeFailures how many were skipped because the store failed
     * @param lastKey the key of the last one
     * @param lastHolder who held the lease of the last one; {@code null}: unknown, or the store failed
     */
    record Skipped(
            long unavailable,
            long storeFailures,
            String lastKey,
            @Nullable LeaseInfo lastHolder) {

        private Skipped plus(Skipped later) {
            return new Skipped(
                    unavailable + later.unavailable,
                    storeFailures + later.storeFailures,
                    later.lastKey,
                    later.lastHolder);
        }
    }

    private final ConcurrentMap<String, Skipped> byMethod = new ConcurrentHashMap<>();

    void unavailable(String method, String key, @Nullable LeaseInfo holder) {
        byMethod.merge(method, new Skipped(1, 0, key, holder), Skipped::plus);
    }

    void storeFailed(String method, String key) {
        byMethod.merge(method, new Skipped(0, 1, key, null), Skipped::plus);
    }

    /** Returns what was skipped so far, by the methods' qualified names. */
    Map<String, Skipped> byMethod() {
        return Map.copyOf(byMethod);
    }
}
