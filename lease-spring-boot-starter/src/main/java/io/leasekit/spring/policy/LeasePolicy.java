package io.leasekit.spring.policy;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.internal.EngineTable;
import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnLost;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.schedule.Firing;
import io.leasekit.text.Text;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The evaluated annotation of one method: placeholders are resolved, and {@code AUTO} is replaced by the value that
 * applies.
 *
 * @param name the name of the lease in meters and traces: the key in the annotation, or the default key
 * @param fixed the request of all calls; {@code null} if the key has an expression or there are several keys
 * @param terms adds the durations, the permits and {@code resumable} of the annotation to a lease request
 * @param manager the name of the manager; empty for the only or primary manager
 * @param skipUnavailable whether calls are skipped while another owner holds the lease or the lease is paused
 * @param handler determines the result of calls that got no lease; {@code null} if {@code skipUnavailable} applies
 */
@Internal
public record LeasePolicy(
        String method,
        String name,
        List<LeaseKey> keys,
        @Nullable LeaseRequest fixed,
        UnaryOperator<LeaseRequest> terms,
        String manager,
        boolean skipUnavailable,
        @Nullable HandlerBean handler,
        OnStoreFailure onStoreFailure,
        OnLost onLost,
        LeaseOnce once,
        boolean skipAlreadyRan,
        CallResult result,
        Supplier<@Nullable Object> skippedResult,
        LeaseParameters parameters) {

    /** Several keys, or run names in any order, need transactions, which not every table supports. */
    public void refuseWithoutTransactions(LeaseManager leases, Method annotated, Class<?> type) {
        boolean runItems = once.run() != null && once.order() == OnceOrder.ANY;
        if (keys.size() == 1 && !runItems) {
            return;
        }
        LeaseManagerStatus status = leases.status();
        if (status != null && !status.transactions()) { // a mocked manager returns null
            throw new InvalidLeaseMethodException(
                    DistributedLease.class,
                    annotated,
                    type,
                    (runItems ? "the names of its runs may have any order" : "its lease has several keys")
                            + ", but the table is a global table with multi-Region strong consistency, which has no"
                            + " transactions",
                    runItems
                            ? "Set 'onceOrder' to GROWING if the names grow, or use a table of one region."
                            : "Use one key, or a table of one region.",
                    null);
        }
    }

    /** Leasekit does not fire a method for missed slots if the table has forgotten the method's last run. */
    public void refuseForgottenRuns(LeaseManager leases, Method annotated, Class<?> type) {
        Duration catchUp = once.catchUp();
        if (catchUp != null && leases instanceof EngineTable table && catchUp.compareTo(table.onceRetention()) > 0) {
            throw new InvalidLeaseMethodException(
                    DistributedLease.class,
                    annotated,
                    type,
                    "catchUp is " + Text.exact(catchUp) + ", but its manager remembers runs for "
                            + Text.exact(table.onceRetention()),
                    "Set 'catchUp' to less, or 'lease.once-retention' to more.",
                    null);
        }
    }

    /**
     * Fires the method, unless a node has already executed the run of the method's newest slot (cron time). Must be
     * called after Spring has registered the scheduled tasks.
     */
    public void catchUp(LeaseManager leases) {
        if (fixed != null) {
            once.catchUp(leases, fixed.key());
        }
    }

    /** If the store does not answer, only a firing (a call by the scheduler) with a slot waits. */
    public boolean awaitsStore(@Nullable Firing firing, LeaseManager leases, LeaseRequest request) {
        return onStoreFailure == OnStoreFailure.AUTO
                && firing != null
                && once.hasSlot(firing)
                && (request.once() != null || leases instanceof EngineTable);
    }

    public LeaseRequest request(@Nullable Object target, @Nullable Object[] arguments) {
        if (fixed != null) {
            return fixed;
        }
        return terms.apply(
                request(keys.stream().map(key -> key.resolve(target, arguments)).toList()));
    }

    /** Cancels the work of the result if possible, because the work would continue without a lease. */
    public IllegalStateException unfinished(Object unfinished) {
        if (unfinished instanceof Future<?> future) {
            future.cancel(true);
        }
        return new IllegalStateException(
                "Method '" + method + "' returned a '"
                        + unfinished.getClass().getName() + "' as '"
                        + result.type().getTypeName()
                        + "', and its work would go on without the lease. Declare the type that is returned, or return the finished result");
    }

    private LeaseRequest request(List<String> resolved) {
        try {
            return LeaseRequest.ofAll(resolved).named(name);
        } catch (IllegalArgumentException e) {
            String which = resolved.size() == 1 ? "The lease key" : "A lease key";
            throw new IllegalStateException(which + " of '" + method + "' is invalid: " + e.getMessage(), e);
        }
    }
}
