package io.leasekit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * The right to do something that at most one process may do at a time, with an end that heartbeats keep moving.
 *
 * <p>While {@link #isValid()} says {@code true}, no other process is granted the same key; of a lease of several keys, none
 * of them. What it does not guarantee: a
 * process that is stopped between the check and its next write can find the lease another's when it goes on. Where that
 * matters, let the store of that write refuse it: {@link #conditionCheck()} for DynamoDB, {@link #fencingToken()} for
 * others.
 *
 * <p>Begins with its acquire, ends with {@link #close()}, which whoever acquired it calls once the work has ended; or is
 * lost before, which {@link #lost()} tells. Closing a lost lease is right and needed. Thread-safe.
 */
public interface Lease extends AutoCloseable {

    /** Returns the key, of several the first in their order. */
    String key();

    /** Returns all keys, in their natural order, in most cases one; see {@link LeaseRequest#ofAll}. */
    default List<String> keys() {
        return List.of(key());
    }

    /** Returns the owner's name, as the table shows it. */
    String owner();

    /** Returns the fencing token: larger than that of every lease that was granted for its key, or for
     * one of its keys, before. */
    long fencingToken();

    /** Returns when the lease was acquired, by DynamoDB's clock, to about a second; for people. */
    Instant acquiredAt();

    /**
     * Returns whether the lease is known to be held just now. {@code false} is not always a loss: after a jump of a clock,
     * or a suspend, the lease is first renewed; {@link #ensureValid()} waits for that. Sends no request.
     */
    boolean isValid();

    /** Returns how long the lease is valid if no renewal gets through; zero when it is not. Sends no request. */
    Duration remaining();

    /**
     * Returns once the lease is known to be held, at once in most cases; else when a renewal has got through.
     *
     * @throws LeaseLostException if the lease is lost or was released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    void ensureValid();

    /**
     * Returns a stage that completes with the reason when the lease is lost, and never when it is released before. What
     * depends on it runs on the manager's callback executor.
     */
    CompletionStage<LeaseLossReason> lost();

    /**
     * Returns the check that makes a {@code TransactWriteItems} of yours fail once the lease is another's, however late it
     * is applied. It holds across renewals. {@link io.leasekit.dynamodb.LeaseFencing} tells its refusal from others.
     *
     * @throws LeaseLostException if the lease is not valid
     * @throws IllegalStateException if the lease has several keys: one check does not cover them, see
     *     {@link #conditionChecks()}
     * @throws UnsupportedOperationException if the store is not DynamoDB
     */
    ConditionCheck conditionCheck();

    /** Returns the name of the run that the lease was asked for ({@link LeaseRequest#once(String)}); empty: for none. */
    Optional<String> runName();

    /**
     * Says how the work has ended, before the lease is closed: the release records it in the item, with the run's name if the
     * lease was asked for one ({@link LeaseRequest#once(String)}). Sends no request. Without it, the run is not done. The last
     * word counts; after the release none does. On a lost lease a success counts if nobody has taken the lease since.
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Returns one check for each of {@link #keys()}, in their order: a {@code TransactWriteItems} of yours needs all of them,
     * since one key may already be another's while the others are not yet.
     *
     * @throws LeaseLostException if the lease is not valid
     * @throws UnsupportedOperationException if the store is not DynamoDB
     */
    default List<ConditionCheck> conditionChecks() {
        return List.of(conditionCheck());
    }

    /**
     * Begins to give the lease back and returns at once; does nothing the second time. From here on {@link #isValid()} is
     * {@code false}. The release is tried again in the background while the store does not answer, until the lease would
     * have ended by itself.
     *
     * @return a stage that completes normally once the table no longer shows the lease as held by this one, or the lease
     *     has ended by itself
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Gives the lease back and waits for the store's answer, for as long as one request may take; after that the release
     * goes on in the background. Never throws; does nothing the second time.
     */
    @Override
    void close();
}
