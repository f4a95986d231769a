package io.leasekit;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * How far the work under a lease has come. What it saves, the next holder of the same run finds in {@link #last()} and goes on
 * from there, after a crash as well as after a failure. A success ({@link Lease#recordRun}) ends the run and removes it.
 *
 * <p>The run is that of the request ({@link LeaseRequest#once(String, OnceOrder)}), for a scheduled job its slot. Without a
 * name, all runs of the key are one until one of them succeeds.
 *
 * <p>A write of progress is fenced: once another owner has the lease, none is applied, however late it arrives. The next holder
 * sees the last value whose {@link #save} has returned, or a later one that was given. Values are written in the order in which
 * they are given.
 *
 * <p>Keep values small. They are in the item of the lease, so each heartbeat writes them and each look reads them: DynamoDB
 * counts a write unit for each KB. Thread-safe.
 *
 * @param <T> the type of the values, see {@link ProgressCodec}
 */
public interface Progress<T> {

    /** The largest size of an encoded value, in bytes. */
    int MAX_BYTES = 32 * 1024;

    /**
     * Returns what the holder before had saved last for the same run; empty if there is nothing: the run begins now. It does not
     * change while the lease is held. Sends no request.
     *
     * @throws ProgressException if the codec cannot decode the value, for instance that of an older version of the work; the
     *     value stays in the table until another one is saved
     */
    Optional<T> last();

    /**
     * Saves the value, and returns when the table has it. One request, which renews the lease in place of a heartbeat.
     *
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}; nothing was
     *     written
     * @throws LeaseLostException if the lease was lost; the value was written or not
     * @throws LeaseStoreException if the store has not confirmed the write within the manager's store timeout; the value may be
     *     written later, unless a later one is given
     * @throws LeaseException if the lease was released; the value was written or not
     * @throws LeaseInterruptedException if the thread is interrupted while it waits; the value may be written later
     * @throws IllegalStateException if {@link #update} was called for this lease; nothing was written
     */
    void save(T value);

    /**
     * Saves the value as {@link #save} does, without waiting. A value that is given before it was sent takes its place, and
     * both stages complete with the same write.
     *
     * @return a stage that completes when the table has this value or a later one, and fails as {@link #save} does, but not
     *     because of a timeout: while the lease is held, the write is retried
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    CompletionStage<Void> saveAsync(T value);

    /**
     * Lets the next heartbeat write the value, which costs no request. If the work fails before, the release writes it; after a
     * crash it is lost. A {@linkplain LeaseRequest#passive() passive} lease has no heartbeats.
     *
     * @throws ProgressException if the codec cannot encode the value, or it has more than {@link #MAX_BYTES}
     * @throws IllegalStateException if {@link #update} was called for this lease
     */
    void note(T value);

    /**
     * Returns a write of the value for your {@code TransactWriteItems}, so that your data and the progress change together or
     * not at all. It makes the transaction fail once the lease was released or another owner has it, as {@link
     * Lease#conditionCheck()} does, which is then not needed: one transaction may name an item only once.
     *
     * <p>Send one transaction after the other. If the reply to one is lost, send the same request again with the same client
     * request token, as the SDK does. Sends no request. From now on, {@link #save} and {@link #note} are refused for this lease:
     * one of their writes could be applied after the transaction, and undo its value.
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
