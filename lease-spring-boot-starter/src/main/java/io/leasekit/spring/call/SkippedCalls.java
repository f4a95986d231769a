package io.leasekit.spring.call;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.SkippedCall;
import io.leasekit.spring.SkippedCallListener;
import io.leasekit.spring.policy.LeasePolicy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts calls that got no lease, by method and not by key, to limit memory use. Thread-safe. */
@Internal
public final class SkippedCalls {

    /**
     * The numbers of calls of one method that got no lease.
     *
     * @param storeFailures number of calls skipped because the store failed
     * @param failed number of calls that failed because the store failed
     */
    public record Skipped(long unavailable, long paused, long storeFailures, long failed) {

        static final Skipped NONE = new Skipped(0, 0, 0, 0);

        private Skipped plus(Skipped later) {
            return new Skipped(
                    unavailable + later.unavailable,
                    paused + later.paused,
                    storeFailures + later.storeFailures,
                    failed + later.failed);
        }
    }

    private static final Logger log = LoggerFactory.getLogger(SkippedCalls.class);

    private final ConcurrentMap<String, Skipped> byMethod = new ConcurrentHashMap<>();
    private final Supplier<Stream<SkippedCallListener>> listeners;

    /** {@code listeners} is called for each skipped call. */
    SkippedCalls(Supplier<Stream<SkippedCallListener>> listeners) {
        this.listeners = listeners;
    }

    void unavailable(LeasePolicy policy, @Nullable LeasePause pause) {
        add(policy, pause == null ? new Skipped(1, 0, 0, 0) : new Skipped(0, 1, 0, 0));
        tell(policy, pause == null ? SkippedCall.Reason.UNAVAILABLE : SkippedCall.Reason.PAUSED, pause);
    }

    void storeFailed(LeasePolicy policy) {
        add(policy, new Skipped(0, 0, 1, 0));
        tell(policy, SkippedCall.Reason.STORE_FAILURE, null);
    }

    /** A failed call is not skipped, so no {@link SkippedCallListener} is called. */
    void failed(LeasePolicy policy) {
        add(policy, new Skipped(0, 0, 0, 1));
    }

    private void add(LeasePolicy policy, Skipped call) {
        byMethod.merge(policy.method(), call, Skipped::plus);
    }

    private void tell(LeasePolicy policy, SkippedCall.Reason reason, @Nullable LeasePause pause) {
        String manager = policy.manager().isEmpty() ? "default" : policy.manager();
        SkippedCall call = new SkippedCall(policy.method(), policy.name(), manager, reason, pause);
        Quietly.run(() -> listeners.get().forEach(listener -> tell(listener, call)));
    }

    private static void tell(SkippedCallListener listener, SkippedCall call) {
        try {
            listener.onSkipped(call);
        } catch (Throwable e) { // a listener in Kotlin may throw checked exceptions
            Quietly.run(() ->
                    log.warn("Listener {} failed on {}", listener.getClass().getName(), call, e));
        }
    }

    Map<String, Skipped> byMethod() {
        return Map.copyOf(byMethod);
    }
}
