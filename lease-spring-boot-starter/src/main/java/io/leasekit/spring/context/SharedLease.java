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
     * The action when the last call under a lease has ended: releases the lease, or leaves the release to an election.
     */
    @FunctionalInterface
    public interface Ending {

        /** Ends the lease. This method may block until the lease is released. */
        void release(Lease lease);

        /**
         * Ends the lease without blocking. If the caller should wait for the release, the returned stage completes when
         * the lease is released. If the caller should not wait, the returned stage is already complete, and the
         * implementation logs a failure of the release.
         */
        default CompletionStage<Void> releaseAsync(Lease lease) {
            return lease.releaseAsync();
        }

        /** Called before the end of the lease if the last call under the lease has failed. */
        default void failed(Throwable failure) {}
    }

    /** Creates a shared lease with one call, the call that acquired the lease. */
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
     * Returns whether a request for these keys can use the lease. A permit does not cover a request for an exclusive
     * lease of the same key, nor the reverse.
     */
    boolean covers(LeaseManager other, List<String> keys, boolean permit) {
        return manager == other
                && (lease.permits() > 0) == permit
                && lease.keys().containsAll(keys);
    }

    /**
     * Adds a call that runs under this lease. Returns false, without adding the call, if all earlier calls have ended,
     * because the lease is then already being released.
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
     * the receiver runs before this method returns. Receivers run in the order of their registration, so an outer
     * call's receiver runs before a nested call's receiver.
     *
     * <p>Returns a task that removes the receiver, to be run when the call under the lease ends. Receivers are not
     * dependent stages of {@link Lease#lost()}, because dependent stages cannot be removed, and would pile up under a
     * long lease.
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
     * Ends a call under the lease without blocking. The returned stage never fails, and completes when the caller may
     * stop waiting for the release. If other calls still run under the lease, nothing is released, and the returned
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
