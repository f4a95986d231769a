package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The right to do something that only one caller may do at a time. A lease expires unless heartbeats renew it.
 *
 * <p>While {@link #isValid()} returns {@code true}, no other owner is granted a lease of the key, or of any of the
 * keys. A lease does not stop late writes: a process can be paused after it has checked its lease, and then write
 * although another owner has already acquired the lease. If late writes do harm, let the data store reject them. For
 * DynamoDB, use {@link #conditionCheck()}; for other stores, use {@link #fencingToken()}.
 *
 * <p>A lease begins with its acquire and ends with {@link #close()}. The caller that acquired the lease closes it after
 * the work. If the lease is lost before it is closed, {@link #lost()} completes. The caller must close a lost lease,
 * too. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the key of the lease. If the lease has several keys, returns the first key in natural order. */
    String key();

    /**
     * Returns all keys of the lease in natural order. Most leases have one key; {@link LeaseRequest#ofAll} requests a
     * lease of several keys.
     */
    default List<String> keys() {
        return List.of(key());
    }

    /** Returns the owner's name as the table shows it. */
    String owner();

    /**
     * Returns the fencing token. The token is larger than the tokens of all earlier leases of the key or keys. For a
     * {@linkplain LeaseRequest#permits(int) permit}, the token is larger than the tokens of all earlier leases of the
     * same slot, but not necessarily of other slots.
     */
    long fencingToken();

    /**
     * Returns the slot of a {@linkplain LeaseRequest#permits(int) permit}, from 0 to the number of permits - 1. No
     * other valid lease of the key has the same slot, so the slot can serve as the number of a worker. Returns 0 for a
     * lease without permits. If leases are switched off, returns 0 for every lease.
     */
    default int slot() {
        return 0;
    }

    /**
     * Returns the number of {@linkplain LeaseRequest#permits(int) permits} that the key has; 0 for a lease without
     * permits.
     */
    default int permits() {
        return 0;
    }

    /** Returns the time of the acquire by DynamoDB's clock, exact to about a second. Use the time for display only. */
    Instant acquiredAt();

    /**
     * Returns whether the lease is known to be held now. {@code false} does not always mean a loss: after a clock jump
     * or a suspend of the machine, only a renewal shows whether the lease is still held. {@link #ensureValid()} waits
     * for that renewal. This method sends no request.
     */
    boolean isValid();

    /**
     * Returns how long the lease stays valid without another renewal; zero if the lease is not valid. Sends no request.
     */
    Duration remaining();

    /**
     * Waits until the lease is known to be held. If the lease is valid, returns at once. If only a renewal can show
     * whether the lease is still held, returns after the next successful renewal.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    void ensureValid();

    /**
     * Renews the lease now, so that the lease stays valid for at least the time {@code atLeast}, counted from the call.
     * Heartbeats continue, and never shorten this validity. If this process dies, other owners can acquire the key only
     * after {@code atLeast} has passed, or later if the machine was suspended before the store confirmed the extension.
     * In most cases, this method sends one request.
     *
     * @throws IllegalArgumentException if {@code atLeast} is not positive or is longer than 365 days
     * @throws IllegalArgumentException if {@code atLeast} would end after the request's {@code holdAtMost}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseStoreException if the store has not confirmed the extension within the manager's store timeout, or
     *     within 2 s if the store timeout is shorter. A failed {@code extend} does not shorten the lease
     * @throws LeaseException if the lease was released
     * @throws LeaseException if the machine was suspended, and less than {@code atLeast} is left until the end of
     *     {@code holdAtMost}
     * @throws LeaseInterruptedException if the thread is interrupted while it waits. An interrupted {@code extend} does
     *     not shorten the lease
     */
    void extend(Duration atLeast);

    /**
     * Returns a stage that completes with the reason of the loss when the lease is lost. If the lease is released
     * without a loss, the stage never completes. Dependent stages run on threads that the manager reserves for
     * reporting lost leases.
     */
    CompletionStage<LeaseLossReason> lost();

    /**
     * Returns the reason of the loss; empty if the lease was not lost. An empty result does not mean that the lease is
     * valid: the lease may have been released, or may have to be renewed after a clock jump. A reason that was returned
     * once never changes. Sends no request.
     */
    Optional<LeaseLossReason> lossReason();

    /**
     * Returns whether the work under this lease should stop. The result becomes {@code true}, and stays {@code true},
     * when one of these events happens:
     *
     * <ul>
     *   <li>The manager closes, or the application shuts down ({@link LeaseManager#requestStop()}).
     *   <li>The lease is lost.
     *   <li>A leader gets the signal to stop, and the lease is that of the leader's election.
     *   <li>The end of the request's {@code holdAtMost} is near: at most a third of the ttl is left, or a third of
     *       {@code holdAtMost} if {@code holdAtMost} is shorter than the ttl.
     * </ul>
     *
     * <p>A request to stop does not end the lease: the lease is held and renewed as before. Work that another owner can
     * continue should save its progress and stop. To stop, an annotated method throws a {@link RunStoppedException};
     * other code records {@link LeaseRunOutcome#STOPPED} and closes the lease. If no other owner can continue the work,
     * the work may ignore the request to stop. This method sends no request to the store.
     */
    boolean stopRequested();

    /**
     * Returns a stage that completes when {@link #stopRequested()} becomes {@code true}. If the lease is released
     * before a stop is requested, the stage never completes. Each call returns a new stage, and cancelling one stage
     * does not affect another stage. A stage stays in memory until the lease ends, so call this method only once for
     * each piece of work. Dependent stages run on threads that the manager reserves for reporting lost leases, or on
     * the caller's thread if the stage is already complete.
     */
    CompletionStage<Void> whenStopRequested();

    /**
     * Returns a value that identifies this lease and can be sent to a worker. The worker uses the value to make its
     * writes fail once this lease has ended; see {@link LeaseFence}.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or if only the next renewal can show whether the lease is still
     *     held
     * @throws IllegalStateException if the lease has several keys; call {@link #fences()} instead
     * @throws UnsupportedOperationException if leases are switched off
     */
    LeaseFence fence();

    /**
     * Returns one fence for each of {@link #keys()}, in the order of the keys. All these fences have the same fencing
     * token and the same {@link LeaseFence#tenure()}. A worker needs all of the lease's fences, because another owner
     * may already have acquired one of the keys, but not yet the other keys. Throws the exceptions of {@link #fence()},
     * but accepts several keys.
     */
    default List<LeaseFence> fences() {
        return List.of(fence());
    }

    /**
     * Returns a condition check for your {@code TransactWriteItems}. The check makes the transaction fail once the
     * lease was released or another owner has acquired it, even if the transaction is applied late. Renewals do not
     * make the check fail. {@link io.leasekit.dynamodb.LeaseFencing} shows whether a transaction failed because of this
     * check or for another reason. If a short {@link LeaseRequest#holdAtLeast} delays the release, the check passes
     * until {@code holdAtLeast} ends: until that time, no other owner can acquire the lease.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or if only the next renewal can show whether the lease is still
     *     held
     * @throws IllegalStateException if the lease has several keys; call {@link #conditionChecks()} instead
     * @throws UnsupportedOperationException if the store is not DynamoDB, or if the table is a global table, which does
     *     not support transactions
     */
    ConditionCheck conditionCheck();

    /** Returns the name of the requested run ({@link LeaseRequest#once(String)}); empty if the request names no run. */
    Optional<String> runName();

    /**
     * Records how the work ended. Call this method before the lease is closed. The release writes the outcome to the
     * item. If the request names a run ({@link LeaseRequest#once(String)}), the release also writes the name of the
     * run. If this method is not called, the run does not count as done. Sends no request.
     *
     * <p>If this method is called several times, the last call before the start of the release counts. After a loss of
     * the lease, a success is recorded only if no other owner has acquired the lease since the loss, and a failure is
     * recorded in the history only.
     *
     * @throws NullPointerException if the outcome is null
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Records how the work ended, as {@link #recordRun(LeaseRunOutcome)} does. The release also adds the class of the
     * error to the history of the key ({@link LeaseManagerBuilder#runHistory}).
     *
     * @param error the error with which the work failed; {@code null} if the work did not fail or the error is unknown
     */
    default void recordRun(LeaseRunOutcome outcome, @Nullable Throwable error) {
        recordRun(outcome);
    }

    /**
     * Returns the progress of this run as bytes, as {@code progress(ProgressCodec.bytes())} does.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    default Progress<byte[]> progress() {
        return progress(ProgressCodec.bytes());
    }

    /**
     * Returns the progress of this run. All {@link Progress} objects of one lease share one value, so pass the same
     * codec in all calls of this method.
     *
     * @throws NullPointerException if the codec is null
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    <T> Progress<T> progress(ProgressCodec<T> codec);

    /**
     * Returns a write of the progress for your {@code TransactWriteItems}, as {@code progress().update(data)} does.
     * Throws the exceptions of {@link Progress#update}.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    default TransactWriteItem progressUpdate(byte[] data) {
        return progress().update(data);
    }

    /**
     * Returns one check for each of {@link #keys()}, in the order of the keys. Your {@code TransactWriteItems} needs
     * all checks, because another owner may already have acquired one of the keys, but not yet the other keys. Throws
     * the exceptions of {@link #conditionCheck()}, but accepts several keys.
     */
    default List<ConditionCheck> conditionChecks() {
        return List.of(conditionCheck());
    }

    /**
     * Starts the release and returns at once. After this call, {@link #isValid()} returns {@code false}. If the store
     * does not answer the release, the manager retries the release in the background until the lease would have
     * expired. A second call has no effect.
     *
     * @return a stage that completes normally once the table no longer shows this lease as held, or the lease has
     *     expired. If a short {@link LeaseRequest#holdAtLeast} delays the release, the stage completes at once, before
     *     the release
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lease as {@link #close()} does, and keeps other owners from its keys for the time {@code keep} after
     * the release, as a {@link LeaseRequest#cooldown(Duration) cooldown} of the request does. If the request's
     * {@code holdAtLeast} or {@code cooldown} ends later than {@code keep}, other owners are kept out until
     * {@code holdAtLeast} and {@code cooldown} have both ended. If {@code keep} is zero, only the request's
     * {@code holdAtLeast} and {@code cooldown} keep other owners out. Like a cooldown, {@code keep} is exact to about 2
     * s: use it for scheduling, not for mutual exclusion. If the lease was lost, {@code keep} has an effect only if no
     * other owner has acquired the lease since the loss.
     *
     * <p>If the lease was already released, this method has no effect. A later {@link #close()} has no effect, so this
     * method may be called inside a {@code try} statement that closes the lease.
     *
     * @throws IllegalArgumentException if the time is negative; the lease was not released
     */
    void release(Duration keep);

    /**
     * Releases the lease, and waits for the store's answer at most as long as the timeout of one request. If the store
     * has not answered within the timeout of one request, the release continues in the background. Does not wait for
     * the end of {@code holdAtLeast}. Never throws. A second call has no effect.
     */
    @Override
    void close();
}
