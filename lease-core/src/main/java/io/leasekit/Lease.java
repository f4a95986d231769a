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
 * The right to do something that only one caller may do at a time. A lease expires, unless heartbeats renew it.
 *
 * <p>While {@link #isValid()} returns {@code true}, no other owner is granted the same key, or any key of a lease of
 * several keys. A lease does not stop late writes: a process can be paused between its check and its write, and
 * continue after another owner has acquired the lease. If late writes do harm, let the data store reject them: DynamoDB
 * by {@link #conditionCheck()}, other stores by {@link #fencingToken()}.
 *
 * <p>A lease begins with its acquire and ends with {@link #close()}. The caller that acquired the lease closes it after
 * the work. If the lease is lost earlier, {@link #lost()} completes; the caller must close it all the same.
 * Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the key; if there are several keys, the first in natural order. */
    String key();

    /**
     * Returns all keys in natural order. Most leases have one key; {@link LeaseRequest#ofAll} requests several keys.
     */
    default List<String> keys() {
        return List.of(key());
    }

    /** Returns the owner's name as the table shows it. */
    String owner();

    /**
     * Returns the fencing token. The token is larger than the tokens of all earlier leases of the key or keys. The
     * token of a {@linkplain LeaseRequest#permits(int) permit} is only larger than the tokens of earlier leases of the
     * same slot.
     */
    long fencingToken();

    /**
     * Returns the slot of a {@linkplain LeaseRequest#permits(int) permit}, from 0 to the number of permits - 1. No
     * other valid lease of the key has the same slot, so the slot can serve as the number of a worker. The slot is 0
     * for a lease without permits, and for every lease if leases are switched off.
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

    /** Returns the time of the acquire by DynamoDB's clock, exact to about a second; for information only. */
    Instant acquiredAt();

    /**
     * Returns whether the lease is known to be held now. {@code false} does not always mean a loss: after a clock jump
     * or a suspend, the lease must first be renewed, and {@link #ensureValid()} waits for that renewal. Sends no
     * request.
     */
    boolean isValid();

    /** Returns how long the lease stays valid without another renewal; zero if it is not valid. Sends no request. */
    Duration remaining();

    /**
     * Waits until the lease is known to be held. Returns at once if the lease is valid, otherwise after the next
     * successful renewal.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    void ensureValid();

    /**
     * Renews the lease now, so that it stays valid for at least this time, counted from the call. Heartbeats continue
     * and never shorten this time. If this process dies, other owners wait until this time has passed. If the machine
     * is suspended before the store confirms the extension, they wait longer. Sends one request in most cases.
     *
     * @throws IllegalArgumentException if the time is not positive, is longer than 365 days, or ends after the
     *     request's {@code holdAtMost}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseStoreException if the store has not confirmed the extension within the manager's store timeout, or
     *     within 2 s if that is longer; the lease lasts as long as before, or longer
     * @throws LeaseException if the lease was released
     * @throws LeaseException if less than this time is left until {@code holdAtMost} after a suspend
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the lease lasts as long as before,
     *     or longer
     */
    void extend(Duration atLeast);

    /**
     * Returns a stage that completes with the reason when the lease is lost. The stage never completes if the lease is
     * released first. Dependent stages run on threads reserved for losses.
     */
    CompletionStage<LeaseLossReason> lost();

    /**
     * Returns the reason of the loss; empty if the lease was not lost. An empty result does not mean that the lease is
     * valid: the lease may have been released, or may have to be renewed after a clock jump. A reason never changes.
     * Sends no request.
     */
    Optional<LeaseLossReason> lossReason();

    /**
     * Returns whether the work under this lease should stop. The result becomes {@code true}, and stays {@code true},
     * if
     *
     * <ul>
     *   <li>the manager is closing, or the application shuts down ({@link LeaseManager#requestStop()}),
     *   <li>the lease is lost,
     *   <li>the lease belongs to a leader that gets the signal to stop, or
     *   <li>the request's {@code holdAtMost} ends soon: a third of the ttl is left, or a third of {@code holdAtMost} if
     *       that is shorter.
     * </ul>
     *
     * <p>A request to stop changes nothing about the lease, which is held and renewed as before. Work that another
     * owner can continue saves its progress and throws a {@link RunStoppedException}. Without an annotated method, it
     * records {@link LeaseRunOutcome#STOPPED} and closes the lease instead. Other work may ignore the request. Calling
     * this method sends no request to the store.
     */
    boolean stopRequested();

    /**
     * Returns a stage that completes when {@link #stopRequested()} becomes {@code true}. The stage never completes if
     * the lease is released first. Each call returns a new stage, and cancelling one stage does not affect another. A
     * stage stays in memory until the lease ends, so call this method once for each piece of work. Dependent stages run
     * on threads reserved for losses, or on the caller's thread if the stage is already complete.
     */
    CompletionStage<Void> whenStopRequested();

    /**
     * Returns the identity of this lease as a value that can be sent to a worker. The worker's writes are rejected once
     * this lease has ended; see {@link LeaseFence}.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must be renewed first
     * @throws IllegalStateException if the lease has several keys, which need {@link #fences()}
     * @throws UnsupportedOperationException if leases are switched off
     */
    LeaseFence fence();

    /**
     * Returns one fence for each of {@link #keys()}, in the order of the keys. All fences have the same token and
     * tenure. A worker needs all of them, because another owner may already have one of the keys, but not yet the
     * others. Throws the exceptions of {@link #fence()}, but accepts several keys.
     */
    default List<LeaseFence> fences() {
        return List.of(fence());
    }

    /**
     * Returns a check that makes your {@code TransactWriteItems} fail once the lease was released or another owner has
     * acquired it, even if the transaction is applied late. Renewals do not invalidate the check.
     * {@link io.leasekit.dynamodb.LeaseFencing} distinguishes a failed check from other failures. If a short hold
     * delays the release ({@link LeaseRequest#holdAtLeast}), the check passes until the hold ends, because no other
     * owner can acquire the lease before.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must be renewed first
     * @throws IllegalStateException if the lease has several keys, which need {@link #conditionChecks()}
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    ConditionCheck conditionCheck();

    /** Returns the name of the requested run ({@link LeaseRequest#once(String)}); empty if the request names none. */
    Optional<String> runName();

    /**
     * Records how the work ended. Call this method before the lease is closed. The release writes the outcome to the
     * item, together with the name of the requested run, if any ({@link LeaseRequest#once(String)}). Without this call,
     * the run does not count as done. Sends no request.
     *
     * <p>If the method is called several times, the last call before the release begins counts. After a loss, only a
     * success is recorded, and only if no other owner has acquired the lease since. A failure after a loss is recorded
     * in the history only.
     *
     * @throws NullPointerException if the outcome is null
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Records how the work ended, as {@link #recordRun(LeaseRunOutcome)} does. The class of the error is added to the
     * history of the key ({@link LeaseManagerBuilder#runHistory}).
     *
     * @param error the error with which the work failed; {@code null} if there is none
     */
    default void recordRun(LeaseRunOutcome outcome, @Nullable Throwable error) {
        recordRun(outcome);
    }

    /**
     * Returns the progress of this run as bytes, like {@code progress(ProgressCodec.bytes())}.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    default Progress<byte[]> progress() {
        return progress(ProgressCodec.bytes());
    }

    /**
     * Returns the progress of this run. All progress objects of one lease share the same value, so use the same codec
     * for all of them.
     *
     * @throws NullPointerException if the codec is null
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    <T> Progress<T> progress(ProgressCodec<T> codec);

    /**
     * Returns a write of the progress for your {@code TransactWriteItems}, like {@code progress().update(data)}. Throws
     * the exceptions of {@link Progress#update}.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    default TransactWriteItem progressUpdate(byte[] data) {
        return progress().update(data);
    }

    /**
     * Returns one check for each of {@link #keys()}, in the order of the keys. Your {@code TransactWriteItems} needs
     * all of them, because another owner may already have one of the keys, but not yet the others. Throws the
     * exceptions of {@link #conditionCheck()}, but accepts several keys.
     */
    default List<ConditionCheck> conditionChecks() {
        return List.of(conditionCheck());
    }

    /**
     * Starts the release and returns at once. From now on, {@link #isValid()} returns {@code false}. While the store
     * does not answer, the release is retried in the background until the lease would have expired. Further calls have
     * no effect.
     *
     * @return a stage that completes normally once the table no longer shows this lease as held, or the lease has
     *     expired. If a short hold delays the release ({@link LeaseRequest#holdAtLeast}), the stage completes at once
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lease as {@link #close()} does, and keeps other owners from its keys for this long after the
     * release, like a {@link LeaseRequest#cooldown(Duration) cooldown} of the request. If the request's
     * {@code holdAtLeast} or {@code cooldown} ends later, the later end applies. Zero adds nothing. The time has the
     * accuracy of a cooldown: it serves scheduling, not exclusion. After a loss, it takes effect only if no other owner
     * has acquired the lease since.
     *
     * <p>This method has no effect after an earlier release, and a later {@link #close()} has no effect after this
     * method. So it may be called for a lease in a {@code try} block.
     *
     * @throws IllegalArgumentException if the time is negative; the lease was not released
     */
    void release(Duration keep);

    /**
     * Releases the lease and waits for the store's answer, at most for the timeout of one request. After that, the
     * release continues in the background. Does not wait for the end of a hold. Never throws. Further calls have no
     * effect.
     */
    @Override
    void close();
}
