package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.text.Text;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lease and the calls that run under it: the call that acquired the lease, and the calls that joined the lease. The
 * lease ends when the last call under it has ended. Thread-safe.
 */
@Internal
public final class SharedLease {

    private static final Logger log = LoggerFactory.getLogger(SharedLease.class);

    private final LeaseManager manager;
    private final Lease lease;
    private final Ending ending;
    private final AtomicInteger calls = new AtomicInteger(1);
    private final Queue<Runnable> lossReceivers = new ConcurrentLinkedQueue<>();
    private volatile boolean awaitsLoss;
    private volatile boolean lost;

    /**
     * The action after the last call has ended: releases the lease, or leaves the release to the election that holds
     * the lease.
     */
    @FunctionalInterface
    public interface Ending {

        /** Ends the lease. This method may block until the lease is released. */
        void release(Lease lease);

        /**
         * Ends the lease without blocking. If the caller should wait for the release, the returned stage completes when
         * the lease is released. An implementation for callers that should not wait returns a completed stage, and logs
         * a failure of the release.
         */
        default CompletionStage<Void> releaseAsync(Lease lease) {
            return lease.releaseAsync();
        }

        /** Called before the end of the lease if the last call under the lease has failed. */
        default void failed(Throwable failure) {}
    }

    /** Creates a shared lease. The first call of the shared lease is the call that acquired the lease. */
    public SharedLease(LeaseManager manager, Lease lease, Ending ending) {
        this.manager = manager;
        this.lease = lease;
        this.ending = ending;
    }

    /** Returns the lease. */
    public Lease lease() {
        return lease;
    }

    /**
     * Returns whether a request for these keys can use the lease. A request for an exclusive lease cannot use a permit
     * of the same key, and a request for a permit cannot use an exclusive lease.
     */
    boolean covers(LeaseManager other, List<String> keys, boolean permit) {
        return manager == other
                && (lease.permits() > 0) == permit
                && lease.keys().containsAll(keys);
    }

    /**
     * Adds a call under this lease. Returns false, without adding the call, if all earlier calls have ended, because
     * the lease is then already being released.
     */
    boolean enter() {
        int before = calls.get();
        while (before > 0 && !calls.compareAndSet(before, before + 1)) {
            before = calls.get();
        }
        return before > 0;
    }

    boolean hasEnded() {
        return calls.get() == 0;
    }

    /**
     * Runs the receiver once if the lease is lost, on the thread that reports the loss. If the lease is already lost,
     * the receiver runs before this method returns. Receivers of the loss run in the order of their registration, so
     * the receiver of an outer call runs before the receiver of a nested call.
     *
     * <p>This method returns a task that removes the receiver; the caller must run the task when its call ends.
     * Receivers are not dependent stages of {@link Lease#lost()}, because a dependent stage cannot be removed, and any
     * number of calls may join the lease.
     */
    public Runnable onLoss(Runnable receiver) {
        if (!awaitsLoss) { // concurrent calls may register twice, which does no harm
            var unused = lease.lost().thenRun(this::lost);
            awaitsLoss = true;
        }
        lossReceivers.add(receiver);
        if (lost) {
            lost();
        }
        return () -> lossReceivers.remove(receiver);
    }

    private void lost() {
        lost = true;
        for (Runnable receiver = lossReceivers.poll(); receiver != null; receiver = lossReceivers.poll()) {
            Quietly.run(receiver);
        }
    }

    /**
     * Reports the failure of a call under the lease, before the call ends. The failure is ignored if other calls still
     * run under the lease.
     */
    public void failed(Throwable failure) {
        if (calls.get() == 1) {
            ending.failed(failure);
        }
    }

    /** Ends a call under the lease. */
    public void leave() {
        if (calls.decrementAndGet() == 0) {
            ending.release(lease);
        }
    }

    /**
     * Ends a call under the lease without blocking. The returned stage completes, never with an error, when the caller
     * may stop waiting for the release. If other calls still run under the lease, nothing is released, and the returned
     * stage is already complete. A failure of the release is logged.
     */
    public CompletionStage<Void> leaveAsync() {
        if (calls.decrementAndGet() > 0) {
            return CompletableFuture.completedStage(null);
        }
        return ending.releaseAsync(lease).exceptionally(failure -> {
            logFailed(lease, failure);
            return null;
        });
    }

    /** Logs that the release of a lease has failed. */
    public static void logFailed(Lease lease, Throwable failure) {
        Quietly.run(() -> log.warn("{} could not be released: {}", lease, Text.why(failure)));
        Quietly.run(() -> log.debug("{} could not be released", lease, failure));
    }
}
