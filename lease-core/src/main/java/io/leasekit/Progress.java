package io.leasekit;

import io.leasekit.limits.Checks;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The progress of the work under a lease. The next holder of the same run gets the saved value from {@link #last()} and
 * continues from there, after a crash or a failure. A success ({@link Lease#recordRun}) ends the run and removes the
 * value.
 *
 * <p>The request names the run ({@link LeaseRequest#once(String, OnceOrder)}); for a scheduled job, the run is its
 * slot. Without a name, all executions under the key count as one run until one of them succeeds.
 *
 * <p>A write of progress is fenced: it is never applied after another owner has acquired the lease, however late it
 * arrives. The next holder sees the last value whose {@link #save} has returned, or a later one. Values are written in
 * the order of the calls. A value that is given before the release begins is written by the release at the latest.
 *
 * <p>Keep values small. They are in the item of the lease, so each heartbeat writes them and each look reads them: DynamoDB
 * counts a write unit for each KB. Thread-safe.
 *
 * @param <T> the type of the values, see {@link ProgressCodec}
 */
public interface Progress<T> {

    /** The largest size of an encoded value, in bytes. */
    int MAX_BYTES = Checks.MAX_PROGRESS_BYTES;

    /**
     * Returns the last value that the previous holder saved for the same run; empty if there is none, so the run begins
     * now. This value does not change while the lease is held. Sends no request.
     *
     * @throws ProgressException if the codec cannot decode the value, for instance a value of an older version of the
     *     work; the value stays in the table until another one is saved
     */
    Optional<T> last();

    /**
     * Saves the value, and returns when the table has it. One request, which renews the lease in place of a heartbeat; it does
     * not move the end of a {@linkplain LeaseRequest#passive() passive} lease.
     *
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}; nothing was
     *     written
     * @throws LeaseLostException if the lease was lost; the value was written or not
     * @throws LeaseStoreException if the store has not confirmed the write within the manager's store timeout, but at least 2 s; the value
     *     may be written later, unless a later one is given
     * @throws LeaseException if the lease was released; the value was written or not
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the value may be written later
     * @throws IllegalStateException if {@link #update} was called for this lease; nothing was written
     */
    void save(T value);

    /**
     * Saves the value as {@link #save} does, without waiting. If a newer value is given before this one was sent, only
     * the newer one is written, and both stages complete with that write.
     *
     * @return a stage that completes when the table has this value or a later one, and fails as {@link #save} does, but not
     *     because of a timeout: while the lease is held, the write is retried
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    CompletionStage<Void> saveAsync(T value);

    /**
     * Lets the next heartbeat write the value, which costs no request. If the lease is released before, the release writes it;
     * after a crash it is lost. A {@linkplain LeaseRequest#passive() passive} lease has no heartbeats, so its release writes the
     * value. After a loss of the lease, a note has no effect.
     *
     * @throws LeaseException if the lease was released
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    void note(T value);

    /**
     * Returns a write of the value for your {@code TransactWriteItems}, so that your data and the progress change
     * together or not at all. The write makes the transaction fail once the lease was released or another owner has it.
     * It replaces {@code Lease#conditionCheck()}, because a transaction may contain an item only once.
     *
     * <p>After a jump of a clock or a suspend, the lease must first be renewed: call {@link Lease#ensureValid()} before this
     * method where the work can wait.
     *
     * <p>Send one transaction after the other. If the reply to one is lost, send the same request again with the same
     * client request token, as the SDK does. Sends no request. From then on, {@link #save} and {@link #note} are
     * refused for this lease, because one of their writes could be applied after the transaction and undo it.
     *
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}
     * @throws LeaseLostException if the lease was lost
     * @throws LeaseException if the lease is not valid for another reason: it was released, or must be renewed first
     * @throws IllegalStateException if {@link #save} or {@link #note} was called for this lease
     * @throws UnsupportedOperationException if the store is not DynamoDB, or the table is a global table, which has no
     *     transactions
     */
    TransactWriteItem update(T value);
}
