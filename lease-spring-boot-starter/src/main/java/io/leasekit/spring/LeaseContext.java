package io.leasekit.spring;

import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.RunStoppedException;
import io.leasekit.spring.context.LeaseFrame;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Gives access to the current lease, in methods with {@link DistributedLease} or {@link LeaderOnly} and in the code
 * that these methods call.
 *
 * <p>The context belongs to the thread of the call. Threads that the method starts, {@code @Async} methods that the
 * method calls, and stages that complete on other threads do not see the context. For code on other threads, pass the
 * {@link Lease}, or use Micrometer's context propagation. For Reactor, {@code spring.reactor.context-propagation=auto}
 * enables context propagation. The coroutines of a suspending function see the context. {@link ReactiveLeaseContext}
 * reads the context from the Reactor context.
 *
 * <p>The context begins with the call of the annotated method, and ends when the method returns. Within nested calls,
 * {@link #current()} returns the context of the innermost call. Thread-safe.
 */
public final class LeaseContext {

    private final Lease lease;

    LeaseContext(Lease lease) {
        this.lease = lease;
    }

    /**
     * Returns the context of the calling thread.
     *
     * @throws IllegalStateException if the thread runs no method with {@link DistributedLease} or {@link LeaderOnly}
     */
    public static LeaseContext current() {
        return find().orElseThrow(() -> new IllegalStateException("Thread '"
                + Thread.currentThread().getName()
                + "' is not running a method with @DistributedLease: the method was not called through its Spring"
                + " proxy, or this is another thread"));
    }

    /**
     * Returns the context of the calling thread. The result is empty if the thread runs no method with
     * {@link DistributedLease} or {@link LeaderOnly}.
     */
    public static Optional<LeaseContext> find() {
        return Optional.ofNullable(LeaseFrame.innermostLease()).map(LeaseContext::new);
    }

    /** Returns the lease. Leasekit releases the lease after the method has ended; do not close the lease. */
    public Lease lease() {
        return lease;
    }

    /**
     * Returns the key of the lease; if the lease has several keys, the first key in natural order. See
     * {@link Lease#key()}.
     */
    public String key() {
        return lease.key();
    }

    /**
     * Returns the fencing token of the lease. The token is larger than the tokens of all earlier leases of the key. The
     * token of a permit is larger than the tokens of all earlier permits with the same {@linkplain #slot() number}.
     */
    public long fencingToken() {
        return lease.fencingToken();
    }

    /**
     * Returns the number of the permit that a method with {@link DistributedLease#permits()} holds, from 0 to the
     * number of permits - 1. If the method has no permits, returns 0. See {@link Lease#slot()}.
     */
    public int slot() {
        return lease.slot();
    }

    /**
     * Returns the name of the run that the call belongs to; empty if the call belongs to no run. If
     * {@link DistributedLease#once()} gives no name, the run name is a time of the cron expression, such as
     * {@code 2026-11-21T03:00:00Z}.
     */
    public Optional<String> runName() {
        return lease.runName();
    }

    /**
     * Returns the progress of the call's run, for a method with {@link DistributedLease#resumable()} or a parameter of
     * type {@link Progress}. A nested call that has joined an outer call's lease shares the outer call's progress.
     *
     * @throws IllegalStateException if the lease is not resumable
     */
    public <T> Progress<T> progress(ProgressCodec<T> codec) {
        return lease.progress(codec);
    }

    /**
     * Returns whether the annotated method should stop. The annotated method should stop if the application shuts down,
     * the lease is lost, or the lease is about to reach its {@code holdAtMost}; see {@link Lease#stopRequested()}. A
     * resumable method that should stop saves its progress and throws a {@link RunStoppedException}. This method sends
     * no request.
     */
    public boolean stopRequested() {
        return lease.stopRequested();
    }

    /**
     * Returns a stage that completes when the annotated method should stop; see {@link Lease#whenStopRequested()}. For
     * a publisher, use {@code Mono.fromCompletionStage(context.whenStopRequested())}.
     */
    public CompletionStage<Void> whenStopRequested() {
        return lease.whenStopRequested();
    }

    /**
     * Returns the time for which the lease stays valid without another renewal; zero if the lease is not valid. This
     * method sends no request.
     */
    public Duration remaining() {
        return lease.remaining();
    }

    /**
     * Checks that the lease is held. In most cases, this method returns at once. If it is unknown whether the lease is
     * still held, this method waits for the next successful renewal; see {@link Lease#ensureValid()}.
     *
     * @throws LeaseLostException if the lease is lost
     * @throws io.leasekit.LeaseException if the lease was released
     * @throws io.leasekit.LeaseInterruptedException if the thread is interrupted while it waits for a renewal
     */
    public void ensureValid() {
        lease.ensureValid();
    }
}
