package io.leasekit.spring.aop;

import io.leasekit.LeaseInfo;
import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger log = LoggerFactory.getLogger(SkippedCalls.class);

    private final ConcurrentMap<String, Skipped> byMethod = new ConcurrentHashMap<>();
    private final Supplier<Stream<SkippedCallListener>> listeners;

    /** The listeners are asked for at each call that is skipped. */
    SkippedCalls(Supplier<Stream<SkippedCallListener>> listeners) {
        this.listeners = listeners;
    }

    void unavailable(LeasePolicy policy, String key, @Nullable LeaseInfo holder) {
        byMethod.merge(policy.method(), new Skipped(1, 0, key, holder), Skipped::plus);
        tell(policy, SkippedCall.Reason.UNAVAILABLE);
    }

    void storeFailed(LeasePolicy policy, String key) {
        byMethod.merge(policy.method(), new Skipped(0, 1, key, null), Skipped::plus);
        tell(policy, SkippedCall.Reason.STORE_FAILURE);
    }

    private void tell(LeasePolicy policy, SkippedCall.Reason reason) {
        String manager = policy.manager().isEmpty() ? "default" : policy.manager();
        SkippedCall call = new SkippedCall(policy.method(), policy.name(), manager, reason);
        listeners.get().forEach(listener -> tell(listener, call));
    }

    private static void tell(SkippedCallListener listener, SkippedCall call) {
        try {
            listener.onSkipped(call);
        } catch (RuntimeException e) {
            log.warn("Listener {} failed on {}", listener.getClass().getName(), call, e);
        }
    }

    /** Returns what was skipped so far, by the methods' qualified names. */
    Map<String, Skipped> byMethod() {
        return Map.copyOf(byMethod);
    }
}
