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

/** A lease that several calls share, and that ends when the last call has ended. Thread-safe. */
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

    /** Ends a lease after its last call: releases the lease, or leaves the release to an election. */
    @FunctionalInterface
    public interface Ending {

        /** This method may block until the lease is released. */
        void release(Lease lease);

        /**
         * The returned stage completes when the caller may stop waiting: after the release, or at once. An
         * implementation that does not wait for the release must itself log a failure.
         */
        default CompletionStage<Void> releaseAsync(Lease lease) {
            return lease.releaseAsync();
        }

        /** Called before the end of the lease if the last call has failed. */
        default void failed(Throwable failure) {}
    }

    public SharedLease(LeaseManager manager, Lease lease, Ending ending) {
        this.manager = manager;
        this.lease = lease;
        this.ending = ending;
    }

    public Lease lease() {
        return lease;
    }

    /** A permit does not cover a request for an exclusive lease, and an exclusive lease covers no permit. */
    boolean covers(LeaseManager other, List<String> keys, boolean permit) {
        return manager == other
                && (lease.permits() > 0) == permit
                && lease.keys().containsAll(keys);
    }

    /** Returns false if all earlier calls have ended, because the lease is then already being released. */
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
     * Runs the receiver once, on the thread that reports the loss. If the lease is already lost, the receiver runs
     * before this method returns. Receivers run in the order of their registration, so an outer call's receiver runs
     * before a nested call's receiver. The returned task removes the receiver. Dependent stages of {@link Lease#lost()}
     * cannot be removed, and would pile up under a long lease.
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

    /** Records the failure if no other call runs under the lease. Call this method before the failed call ends. */
    public void failed(Throwable failure) {
        if (calls.get() == 1) {
            ending.failed(failure);
        }
    }

    public void leave() {
        if (calls.decrementAndGet() == 0) {
            ending.release(lease);
        }
    }

    /** The returned stage never fails, and completes when the caller may stop waiting for the release. */
    public CompletionStage<Void> leaveAsync() {
        if (calls.decrementAndGet() > 0) {
            return CompletableFuture.completedStage(null);
        }
        return ending.releaseAsync(lease).exceptionally(failure -> {
            logFailed(lease, failure);
            return null;
        });
    }

    public static void logFailed(Lease lease, Throwable failure) {
        Quietly.run(() -> log.warn("{} could not be released: {}", lease, Text.why(failure)));
        Quietly.run(() -> log.debug("{} could not be released", lease, failure));
    }
}
