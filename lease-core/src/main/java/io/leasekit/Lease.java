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
 * <p>While {@link #isValid()} returns {@code true}, no other owner is granted a lease of any of this lease's keys. A
 * lease does not stop late writes: a process can check its lease, be paused, and write after another owner has acquired
 * the lease. To let the data store reject late writes, use {@link #conditionCheck()} with DynamoDB, and
 * {@link #fencingToken()} with other data stores.
 *
 * <p>A lease begins with its acquire and ends with {@link #close()}. The caller that acquired the lease closes it after
 * the work. If the lease is lost before it is closed, {@link #lost()} completes. The caller must close even a lost
 * lease. Thread-safe.
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
     * Returns the fencing token. The token is larger than the tokens of all earlier leases of the key or keys. The
     * tokens of {@linkplain LeaseRequest#permits(int) permits} grow within each slot, not across slots.
     */
    long fencingToken();

    /**
     * Returns the slot of a {@linkplain LeaseRequest#permits(int) permit}, from 0 to one less than the number of
     * permits. No other valid lease of the key has the same slot, so the slot can serve as a worker number. Returns 0
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

    /** Returns the time of the acquire by DynamoDB's clock, exact to about a second. Use the time for display only. */
    Instant acquiredAt();

    /**
     * Returns whether the lease is known to be held now. {@code false} does not always mean a loss: after a clock jump
     * or a suspend of the machine, only a renewal shows whether the lease is still held. To wait for the next renewal,
     * call {@link #ensureValid()}. This method sends no request.
     */
    boolean isValid();

    /**
     * Returns how long the lease stays valid without another renewal; zero if the lease is not valid. Sends no request.
     */
    Duration remaining();

    /**
     * Waits until the lease is known to be held. If the lease is valid, returns at once. After a clock jump or a
     * suspend of the machine, returns after the next successful renewal.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released
     * @throws LeaseInterruptedException if the thread is interrupted while it waits
     */
    void ensureValid();

    /**
     * Renews the lease now, so that it stays valid for at least {@code atLeast} from this call. Later heartbeats never
     * shorten the extended validity. If this process dies, other owners can acquire the key only after {@code atLeast}
     * has passed. If the machine is suspended before the store confirms the extension, the key may stay taken for
     * longer. In most cases, this method sends one request.
     *
     * @throws IllegalArgumentException if {@code atLeast} is not positive or is longer than 365 days
     * @throws IllegalArgumentException if {@code atLeast} would end after the request's {@code holdAtMost}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseStoreException if the store has not confirmed the extension within the manager's store timeout or 2
     *     s, whichever is longer. A failed {@code extend} does not shorten the lease
     * @throws LeaseException if the lease was released
     * @throws LeaseException if too little of {@code holdAtMost} is left, because this machine was suspended
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
     * valid: the lease may have been released, or may have to be renewed after a clock jump. Once a reason is returned,
     * it never changes. Sends no request.
     */
    Optional<LeaseLossReason> lossReason();

    /**
     * Returns whether the work under this lease should stop. Once {@code true}, the result stays {@code true}.
     *
     * <p>A stop is requested when the lease is lost, the manager closes, or the application shuts down
     * ({@link LeaseManager#requestStop()}). For the lease of an election, a stop is requested when the leader gets the
     * signal to stop. If the request sets {@code holdAtMost}, a stop is requested before {@code holdAtMost} ends. The
     * time left is then a third of {@code holdAtMost} or of the ttl, whichever is shorter.
     *
     * <p>A request to stop does not end the lease: the lease is held and renewed as before. Work that another owner can
     * continue should save its progress and stop. To stop, an annotated method throws a {@link RunStoppedException};
     * other code records {@link LeaseRunOutcome#STOPPED} and closes the lease. If no other owner can continue the work,
     * the work may ignore the request to stop. This method sends no request to the store.
     */
    boolean stopRequested();

    /**
     * Returns a stage that completes when {@link #stopRequested()} becomes {@code true}. If the lease is released
     * before a stop is requested, the returned stage never completes. Each call returns a new stage, and cancelling one
     * stage does not affect another stage. A stage stays in memory until the lease ends, so call this method only once
     * for each piece of work. Dependent stages run on threads that the manager reserves for reporting lost leases, or
     * on the caller's thread if the stage is already complete.
     */
    CompletionStage<Void> whenStopRequested();

    /**
     * Returns a value that identifies this lease and can be sent to a worker. The worker uses the value to make its
     * writes fail once this lease has ended; see {@link LeaseFence}.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must first be renewed after a clock jump or a suspend of the
     *     machine
     * @throws IllegalStateException if the lease has several keys; call {@link #fences()} instead
     * @throws UnsupportedOperationException if leases are switched off
     */
    LeaseFence fence();

    /**
     * Returns one fence for each of {@link #keys()}, in the order of the keys. All fences of a lease have the same
     * fencing token and the same {@link LeaseFence#tenure()}. A worker needs all of the lease's fences. After the lease
     * has expired, only the fences of keys that another owner has acquired reject late writes. Throws the exceptions of
     * {@link #fence()}, except the {@code IllegalStateException} for a lease of several keys.
     */
    default List<LeaseFence> fences() {
        return List.of(fence());
    }

    /**
     * Returns a condition check for your {@code TransactWriteItems}. The check makes the transaction fail once the
     * lease was released or another owner has acquired it, even if the transaction is applied late. A renewal of the
     * lease does not make the condition check fail. {@link io.leasekit.dynamodb.LeaseFencing} shows whether a
     * transaction failed because of this check or for another reason. While a short {@link LeaseRequest#holdAtLeast}
     * delays the release, the check still passes, because no other owner can acquire the lease.
     *
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must first be renewed after a clock jump or a suspend of the
     *     machine
     * @throws IllegalStateException if the lease has several keys; call {@link #conditionChecks()} instead
     * @throws UnsupportedOperationException if the store is not DynamoDB, or if the table is a global table, which does
     *     not support transactions
     */
    ConditionCheck conditionCheck();

    /** Returns the name of the requested run ({@link LeaseRequest#once(String)}); empty if the request names no run. */
    Optional<String> runName();

    /**
     * Records how the work ended. Call this method before the lease is closed. The release writes the outcome, and the
     * name of a requested run ({@link LeaseRequest#once(String)}), to the lease's item. If {@code recordRun} is not
     * called before the release, the run does not count as done. Sends no request.
     *
     * <p>If this method is called several times, the last call before the release counts. After a loss of the lease, a
     * success is recorded only if no other owner has acquired the lease since the loss. After a loss of the lease, a
     * failure is recorded in the history only.
     *
     * @throws NullPointerException if the outcome is null
     */
    void recordRun(LeaseRunOutcome outcome);

    /**
     * Records how the work ended, as {@link #recordRun(LeaseRunOutcome)} does. The release adds the class of the error
     * to the history of the key ({@link LeaseManagerBuilder#runHistory}).
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
     * codec in all calls of {@code progress}.
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
     * Returns one check for each of {@link #keys()}, in the order of the keys. Add all checks to your
     * {@code TransactWriteItems}. After the lease has expired, only the checks of keys that another owner has acquired
     * fail. Throws the exceptions of {@link #conditionCheck()}, except the {@code IllegalStateException} for a lease of
     * several keys.
     */
    default List<ConditionCheck> conditionChecks() {
        return List.of(conditionCheck());
    }

    /**
     * Starts the release and returns at once. After this call, {@link #isValid()} returns {@code false}. If the store
     * does not answer the release, the manager retries the release in the background until the lease would have
     * expired. A second call of this method has no effect.
     *
     * @return a stage that completes normally once the table no longer shows this lease as held, or the lease has
     *     expired. If a short {@link LeaseRequest#holdAtLeast} delays the release, the stage completes at once, before
     *     the release
     */
    CompletionStage<Void> releaseAsync();

    /**
     * Releases the lease as {@link #close()} does, with an additional
     * {@linkplain LeaseRequest#cooldown(Duration) cooldown} of the length {@code keep}. Other owners can acquire the
     * keys when {@code keep} and the request's {@code holdAtLeast} and {@code cooldown} have all ended. Like a
     * cooldown, {@code keep} is exact to about 2 s: use it for scheduling, not for mutual exclusion. If the lease was
     * lost, {@code keep} has an effect only if no other owner has acquired the lease since the loss.
     *
     * <p>If the lease was already released, this method has no effect. A later {@link #close()} has no effect, so this
     * method may be called inside a {@code try} statement that closes the lease.
     *
     * @throws IllegalArgumentException if the time is negative; the lease then stays held
     */
    void release(Duration keep);

    /**
     * Releases the lease, and waits for the store's answer for at most one request timeout. An unanswered release
     * continues in the background. Does not wait for the end of {@code holdAtLeast}. Never throws. A second call of
     * {@code close} has no effect.
     */
    @Override
    void close();
}
