package io.leasekit;

import io.leasekit.limits.Checks;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The progress of the work under a lease. If the process crashes or the work fails, the next holder for the same run
 * continues from the saved value ({@link #last()}). When the run has succeeded ({@link Lease#recordRun}), the release
 * removes the saved value.
 *
 * <p>The request names the run ({@link LeaseRequest#once(String, OnceOrder)}). For a cron job, each time of the
 * schedule is a separate run. If the request names no run, all executions under the key count as one run until an
 * execution succeeds.
 *
 * <p>Writes of progress are fenced: after another owner has acquired the lease, no write of the previous holder is
 * applied, however late the write arrives. The next holder gets the last value that {@link #save} has confirmed, or a
 * newer value. Values are written in the order of the calls. The release writes the last value if the table does not
 * have it yet.
 *
 * <p>Keep values small. The value is part of the lease's item, so a larger value makes each heartbeat and each read
 * more expensive. DynamoDB charges one write unit for each KB of the item. Thread-safe.
 *
 * @param <T> the type of the values, which a {@link ProgressCodec} converts to bytes
 */
public interface Progress<T> {

    /** The largest size of an encoded value, in bytes. */
    int MAX_BYTES = Checks.MAX_PROGRESS_BYTES;

    /**
     * Returns the last value that an earlier holder saved for the same run. Returns empty if no earlier holder has
     * saved a value, so the work must start from the beginning. The result does not change while the lease is held.
     * Sends no request.
     *
     * @throws ProgressException if the codec cannot decode the value, for example because an older version of the work
     *     has saved it. The value stays in the table until another value is saved
     */
    Optional<T> last();

    /**
     * Saves the value, and returns when the table has the value. Saving renews the lease, and so replaces a heartbeat.
     * Saving does not move the end of a {@linkplain LeaseRequest#passive() passive} lease.
     *
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}; nothing was written
     * @throws LeaseLostException if the lease was lost; the value may have been written
     * @throws LeaseStoreException if the store has not confirmed the write within the manager's store timeout or 2 s,
     *     whichever is longer. The value may be written later, unless the work saves or notes another value
     * @throws LeaseException if the lease was released; the value may have been written
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the value may be written later
     * @throws IllegalStateException if {@link #update} was called for this lease; nothing was written
     */
    void save(T value);

    /**
     * Saves the value as {@link #save} does, without waiting. If the work saves or notes a newer value before this
     * value was sent, only the newer value is written. The stage of a replaced value completes when the newer value is
     * written.
     *
     * @return a stage that completes when the table has this value or a newer value. The stage fails with the
     *     exceptions of {@link #save}, but never because of a timeout: the write is retried as long as the lease is
     *     held
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    CompletionStage<Void> saveAsync(T value);

    /**
     * Notes the value for the next heartbeat, which writes the value without an additional request. If the lease is
     * released before the next heartbeat, the release writes the value. If the process crashes before the heartbeat or
     * release, the value is lost. A {@linkplain LeaseRequest#passive() passive} lease has no heartbeats, so its release
     * writes the value. If the lease was lost, this method has no effect.
     *
     * @throws LeaseException if the lease was released
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    void note(T value);

    /**
     * Returns a write of the value for your {@code TransactWriteItems}, so that your data and the progress change
     * together or not at all. The transaction fails once the lease was released or another owner has acquired it. Do
     * not add {@link Lease#conditionCheck()} to the same transaction, because a transaction may contain each item only
     * once. Sends no request.
     *
     * <p>After a clock jump or a suspend, this method throws an exception until the lease has been renewed. To wait for
     * the renewal, call {@link Lease#ensureValid()} first.
     *
     * <p>Wait for the reply to each transaction with a progress write before you send the next transaction. If the
     * reply to a transaction is lost, send the same request again with the same client request token, as the AWS SDK
     * does. After a call of this method, {@link #save} and {@link #note} throw an exception, because they could
     * overwrite newer progress.
     *
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must first be renewed after a clock jump or a suspend of the
     *     machine
     * @throws IllegalStateException if {@link #save} or {@link #note} was called for this lease
     * @throws UnsupportedOperationException if the store is not DynamoDB, or if the table is a global table, which does
     *     not support transactions
     */
    TransactWriteItem update(T value);
}
