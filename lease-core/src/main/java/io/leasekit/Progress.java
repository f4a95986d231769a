package io.leasekit;

import io.leasekit.limits.Checks;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The progress of the work under a lease. After a crash or a failure, the next holder of the same run gets the saved
 * value from {@link #last()} and continues from there. A success ({@link Lease#recordRun}) ends the run and removes the
 * value.
 *
 * <p>The request names the run ({@link LeaseRequest#once(String, OnceOrder)}); the run of a scheduled job is its slot.
 * Without a name, all executions under the key count as one run until one of them succeeds.
 *
 * <p>Writes of progress are fenced: after another owner has acquired the lease, no earlier write is applied, however
 * late it arrives. The next holder gets the last value whose {@link #save} has returned, or a later value. Values are
 * written in the order of the calls. The release writes the last value, unless the table already has it.
 *
 * <p>Keep values small. Values are part of the lease's item, so each heartbeat writes them, and each read of the item
 * reads them. DynamoDB charges one write unit for each KB. Thread-safe.
 *
 * @param <T> the type of the values, see {@link ProgressCodec}
 */
public interface Progress<T> {

    /** The largest size of an encoded value, in bytes. */
    int MAX_BYTES = Checks.MAX_PROGRESS_BYTES;

    /**
     * Returns the last value that an earlier holder saved for the same run; empty if there is none, so the run begins
     * now. The result does not change while the lease is held. Sends no request.
     *
     * @throws ProgressException if the codec cannot decode the value, for example a value of an older version of the
     *     work; the value stays in the table until another value is saved
     */
    Optional<T> last();

    /**
     * Saves the value, and returns when the table has it. The one request also renews the lease, in place of a
     * heartbeat. The renewal does not move the end of a {@linkplain LeaseRequest#passive() passive} lease.
     *
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}; nothing was written
     * @throws LeaseLostException if the lease was lost; the value may have been written
     * @throws LeaseStoreException if the store has not confirmed the write within the manager's store timeout, or
     *     within 2 s if that is longer; the value may be written later, unless the work saves or notes another value
     * @throws LeaseException if the lease was released; the value may have been written
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the value may be written later
     * @throws IllegalStateException if {@link #update} was called for this lease; nothing was written
     */
    void save(T value);

    /**
     * Saves the value as {@link #save} does, without waiting. If a newer value is given before this value was sent,
     * only the newer value is written, and both stages complete with that write.
     *
     * @return a stage that completes when the table has this value or a later one. The stage fails as {@link #save}
     *     does, but not because of a timeout: while the lease is held, the write is retried
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    CompletionStage<Void> saveAsync(T value);

    /**
     * Hands the value to the next heartbeat, which writes it without an additional request. If the lease is released
     * before the next heartbeat, the release writes the value. If the process crashes before, the value is lost. A
     * {@linkplain LeaseRequest#passive() passive} lease has no heartbeats, so its release writes the value. After a
     * loss of the lease, this method has no effect.
     *
     * @throws LeaseException if the lease was released
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    void note(T value);

    /**
     * Returns a write of the value for your {@code TransactWriteItems}, so that your data and the progress change
     * together or not at all. The transaction fails once the lease was released or another owner has acquired it. Leave
     * out {@code Lease#conditionCheck()}: a transaction may contain an item only once. Sends no request.
     *
     * <p>After a clock jump or a suspend, the lease must first be renewed. If the work can wait, call
     * {@link Lease#ensureValid()} before this method.
     *
     * <p>Send one transaction after the other. If the reply to a transaction is lost, send the same request again with
     * the same client request token, as the SDK does. From now on, {@link #save} and {@link #note} are refused for this
     * lease, because their writes could be applied after the transaction and undo it.
     *
     * @throws ProgressException if the codec cannot encode the value, or the encoded value is longer than
     *     {@link #MAX_BYTES}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease was released, or must be renewed first
     * @throws IllegalStateException if {@link #save} or {@link #note} was called for this lease
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    TransactWriteItem update(T value);
}
