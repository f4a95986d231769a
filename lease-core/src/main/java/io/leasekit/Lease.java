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
 * The right to do something that only one caller may do at a time. It is limited in time, and heartbeats extend it.
 *
 * <p>While {@link #isValid()} returns {@code true}, no other owner is granted the same key, or any key of a lease of
 * several keys. A lease does not stop late writes. A process can be paused between its check and its next write; when
 * it continues, another owner may have the lease. If late writes do harm, let the store of the data reject them:
 * DynamoDB by {@link #conditionCheck()}, other stores by {@link #fencingToken()}.
 *
 * <p>A lease begins with its acquire and ends with {@link #close()}. The caller that acquired it closes it when the
 * work has ended. If it is lost earlier, {@link #lost()} completes. A lost lease must be closed too. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the key; of several keys, the first in their natural order. */
    String key();

    /** Returns all keys in their natural order, in most cases only one; see {@link LeaseRequest#ofAll}. */
    default List<String> keys() {
        return List.of(key());
    }

    /** Returns the owner's name as the table shows it. */
    String owner();

    /**
     * Returns the fencing token. It is larger than that of every lease granted earlier for the key, or for any of the
     * keys. That of a {@linkplain LeaseRequest#permits(int) permit} is larger than those of its slot only.
     */
    long fencingToken();

    /**
     * Returns the slot of a lease with {@linkplain LeaseRequest#permits(int) permits}, from 0 to the number of permits - 1.
     * No other valid lease of the key has the same slot, so it can serve as the number of a worker. 0 for a lease without
     * permits, and for every lease if leases are switched off.
     */
    default int slot() {
        return 0;
    }

    /**
     * Returns the number of {@linkplain LeaseRequest#permits(int) permits} of which this lease is one; 0 for a lease without
     * permits.
     */
    default int permits() {
        return 0;
    }

    /** Returns the time of the acquire by DynamoDB's clock, exact to about a second; for information only. */
    Instant acquiredAt();

    /**
     * Returns whether the lease is known to be held now. {@code false} does not always mean a loss. After a jump of a
     * clock, or a suspend, the lease must first be renewed; {@link #ensureValid()} waits for that. Sends no request.
     */
    boolean isValid();

    /** Returns how long the lease stays valid if no renewal succeeds; zero if it is not valid. Sends no request. */
    Duration remaining();

    /**
     * Waits until the lease is known to be held. Returns at once in most cases, otherwise after the next successful
     * renewal.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    void ensureValid();

    /**
     * Renews the lease now, so that it is valid for at least this time, counted from the call. Heartbeats continue and
     * never shorten this time. If this process dies, others wait for the longer time. A suspend of the machine before
     * the confirmation makes the time longer. One request in most cases.
     *
     * @throws IllegalArgumentException if the time is not positive, is longer than 365 days, or ends after the request's
     *     {@code holdAtMost}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseStoreException if the store has not confirmed the extension within the manager's store timeout, which
     *     is at least the time of one request here; the lease is as it was, or longer
     * @throws LeaseException if the lease was released, or a suspend left less than this time until {@code holdAtMost}
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the lease is as it was, or longer
     */
    void extend(Duration atLeast);

    /**
     * Returns a stage that completes with the reason when the lease is lost. It never completes if the lease is
     * released first. Dependents run on threads reserved for losses.
     */
    CompletionStage<LeaseLossReason> lost();

    /**
     * Returns the reason of the loss, without waiting; empty if the lease was not lost. Empty does not mean valid: after
     * a jump of a clock the lease must first be renewed, and a lease that was released cannot be lost any more. A reason
     * never changes. Sends no request.
     */
    Optional<LeaseLossReason> lossReason();

    /**
     * Returns whether the work under this lease is asked to stop: its manager is closing or the application shuts down
     * ({@link LeaseManager#requestStop()}), the lease is lost, its leader must stop, or a third of the ttl is left until the
     * request's {@code holdAtMost}; of a {@code holdAtMost} below the ttl, a third of itself. Never becomes
     * {@code false} again. Sends no request.
     *
     * <p>The request decides nothing: the lease is held and renewed as before. Work that can go on elsewhere saves its
     * progress and throws a {@link RunStoppedException}, or, without an annotation, records
     * {@link LeaseRunOutcome#STOPPED} and closes the lease. Other work may ignore it.
     */
    boolean stopRequested();

    /**
     * Returns a stage that completes when {@link #stopRequested()} becomes {@code true}. It never completes if the lease is
     * released first. Each call returns a stage of its own, whose cancel affects no other; it is kept until the end of
     * the lease, so ask once for each piece of work. Dependents run on threads reserved for losses, or on the caller's if
     * it is already complete.
     */
    CompletionStage<Void> whenStopRequested();

    /**
     * Returns the identity of this lease as a value that can be sent to a worker. The worker's writes are rejected once
     * this lease has ended; see {@link LeaseFence}.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws IllegalStateException if the lease has several keys, which one fence does not cover; see
     *     {@link #fences()}
     * @throws UnsupportedOperationException if leases are switched off, so there is nothing to compare with
     */
    LeaseFence fence();

    /**
     * Returns one fence for each of {@link #keys()}, in their order. All of them have the same token and tenure. A
     * worker needs all of them, because another owner may already have one of the keys, but not yet the others.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws UnsupportedOperationException if leases are switched off, so there is nothing to compare with
     */
    default List<LeaseFence> fences() {
        return List.of(fence());
    }

    /**
     * Returns a check that makes your {@code TransactWriteItems} fail once the lease was released or another owner has
     * it, however late the transaction is applied. The check holds across renewals.
     * {@link io.leasekit.dynamodb.LeaseFencing} distinguishes its refusal from other failures. If a short hold delays the
     * release ({@link LeaseRequest#holdAtLeast}), a check that was made before passes until the end of the hold: no other
     * owner has the lease before.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws IllegalStateException if the lease has several keys, which one check does not cover; see
     *     {@link #conditionChecks()}
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    ConditionCheck conditionCheck();

    /**
     * Returns the name of the run that the lease was requested for ({@link LeaseRequest#once(String)}); empty if there
     * is none.
     */
    Optional<String> runName();

    /**
     * Records how the work ended. Call it before the lease is closed. The release writes the outcome to the item, with
     * the run's name if there is one ({@link LeaseRequest#once(String)}). Without this call, the run is not done. Sends
     * no request.
     *
     * <p>The last call before the release begins counts; later calls have no effect. After a loss, only a success is recorded
     * (a failure in the history only), and only if no other owner has taken the lease since.
     *
     * @throws NullPointerException if the outcome is null
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Records how the work ended, as {@link #recordRun(LeaseRunOutcome)} does, and the class of its error for the history of the
     * key ({@link LeaseManagerBuilder#runHistory}).
     *
     * @param error the error with which the work failed; {@code null}: none
     */
    default void recordRun(LeaseRunOutcome outcome, @Nullable Throwable error) {
        recordRun(outcome);
    }

    /**
     * Returns the progress of this run, as bytes. The same as {@code progress(ProgressCodec.bytes())}.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    default Progress<byte[]> progress() {
        return progress(ProgressCodec.bytes());
    }

    /**
     * Returns the progress of this run. All progress objects of one lease share the same value, so use the same codec
     * for all.
     *
     * @throws NullPointerException if the codec is null
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}
     */
    <T> Progress<T> progress(ProgressCodec<T> codec);

    /**
     * Returns a write of the progress for your {@code TransactWriteItems}. The same as {@code progress().update(data)}; see
     * {@link Progress#update}.
     *
     * @throws IllegalStateException if the request is not {@linkplain LeaseRequest#resumable() resumable}, or {@link
     *     Progress#save} or {@link Progress#note} was called
     * @throws ProgressException if there are more than {@link Progress#MAX_BYTES}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    default TransactWriteItem progressUpdate(byte[] data) {
        return progress().update(data);
    }

    /**
     * Returns one check for each of {@link #keys()}, in their order. Your {@code TransactWriteItems} needs all of them,
     * because another owner may already have one of the keys, but not yet the others.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    default List<ConditionCheck> conditionChecks() {
        return List.of(conditionCheck());
    }

    /**
     * Starts the release and returns at once. From then on, {@link #isValid()} returns {@code false}. While the store
     * does not answer, the release is retried in the background until the lease would have expired. A second call has
     * no further effect.
     *
     * @return a stage that completes normally once the table no longer shows this lease as held, or the lease has
     *     expired; at once if a short hold delays the release ({@link LeaseRequest#holdAtLeast})
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lease as {@link #close()} does, and keeps others from its keys for this long after the release, as a
     * {@link LeaseRequest#cooldown(Duration)} of the request would. If the request's {@code holdAtLeast} or
     * {@code cooldown} ends later, that end counts. Zero adds nothing. The hold is as exact as that of the request: it
     * is a schedule, not exclusion. After a loss, it takes effect only if no other owner has acquired the lease since.
     *
     * <p>Has no effect after an earlier release; a later {@link #close()} has none after this one, so a lease in a
     * {@code try} block may be released by this method.
     *
     * @throws IllegalArgumentException if the time is negative; the lease was not released
     */
    void release(Duration keep);

    /**
     * Releases the lease and waits for the store's answer, for as long as one request may take. After that, the release
     * continues in the background. Does not wait for the end of a hold. Never throws. A second call has no further effect.
     */
    @Override
    void close();
}
