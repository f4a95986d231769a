package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The right to do something that only one caller may do at a time. It has an end, which heartbeats keep moving.
 *
 * <p>While {@link #isValid()} returns {@code true}, no other owner is granted the same key, or any key of a lease of
 * several keys. A lease does not stop late writes. A process can be paused between its check and its next write; when
 * it continues, another owner may have the lease. Where that matters, let the store of that write reject it, by
 * {@link #conditionCheck()} with DynamoDB and by {@link #fencingToken()} with other stores.
 *
 * <p>A lease begins with its acquire and ends with {@link #close()}. The caller that acquired it closes it when the
 * work has ended. If it is lost earlier, {@link #lost()} completes. A lost lease must be closed too. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the key; of several keys, the first in their natural order. */
    String key();

    /** Returns all keys in their natural order, in most cases one; see {@link LeaseRequest#ofAll}. */
    default List<String> keys() {
        return List.of(key());
    }

    /** Returns the owner's name as the table shows it. */
    String owner();

    /**
     * Returns the fencing token. It is larger than that of every lease granted earlier for the key, or for any of the
     * keys.
     */
    long fencingToken();

    /** Returns the time of the acquire by DynamoDB's clock, exact to about a second; for people. */
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
     * Returns a stage that completes with the reason when the lease is lost. It never completes if the lease is
     * released first. Dependents run on the manager's callback executor.
     */
    CompletionStage<LeaseLossReason> lost();

    /**
     * Returns a check that makes your {@code TransactWriteItems} fail once the lease was released or another owner has
     * it, however late the transaction is applied. The check holds across renewals.
     * {@link io.leasekit.dynamodb.LeaseFencing} distinguishes its refusal from other failures.
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
     * <p>The last call before the release counts; later calls have no effect. After a loss, only a success is recorded,
     * and only if no other owner has taken the lease since.
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Returns one check for each of {@link #keys()}, in their order. Your {@code TransactWriteItems} needs all of them,
     * since another owner may already have one key while it does not have the others yet.
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
     * Releases the lease and waits for the store's answer, for as long as one request may take. After that, the release
     * continues in the background. Does not wait for the end of a hold. Never throws. A second call has no further effect.
     */
    @Override
    void close();
}
