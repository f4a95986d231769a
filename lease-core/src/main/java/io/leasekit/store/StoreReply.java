package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reply of a store to a request, or the failure of the request. */
@Internal
public sealed interface StoreReply {

    /**
     * Returns the time in the store's reply, truncated to seconds; {@code null} if there was no reply or the reply has
     * no time.
     */
    @Nullable
    Instant date();

    /** Returns whether the client may have sent other copies of the request. */
    boolean resent();

    /**
     * Returns whether the copy that got this reply was certainly not applied and will not be applied later. If
     * {@link #resent} returns {@code true}, another copy of the request may have been applied. After a refusal, the
     * version of the item shows whether another copy was applied.
     */
    default boolean isSurelyNotWritten() {
        return this instanceof Refused
                || this instanceof GroupRefused
                || (this instanceof Failed failed && failed.kind() != FailureKind.UNKNOWN);
    }

    /**
     * Returns the consumed capacity: read units of a read, write units of a write; {@code null} if the store reports no
     * capacity. In a batch, each command's reply reports a part of the batch's capacity. DynamoDB does not report the
     * units of a refused write, so the result assumes an item of at most 1 KB.
     */
    default @Nullable Double capacity() {
        return null;
    }

    /**
     * The write was applied.
     *
     * @param waitingSinceMillis the time at which a waiter had marked the item, in epoch milliseconds; {@code null} if
     *     the item had no mark. Only the reply to an acquire, or to a release that keeps the item, shows the mark
     * @param before the item's records before an acquire of one key; {@link Records#NONE} for all other writes
     * @param heldBefore the item before an acquire of one key, for display only; {@code null} if the item had no
     *     version or is unknown
     */
    record Applied(
            @Nullable Long waitingSinceMillis,
            Records before,
            @Nullable LeaseItem heldBefore,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity)
            implements StoreReply {

        public Applied(
                @Nullable Long waitingSinceMillis, @Nullable Instant date, boolean resent, @Nullable Double capacity) {
            this(waitingSinceMillis, Records.NONE, null, date, resent, capacity);
        }

        public Applied(@Nullable Long waitingSinceMillis, @Nullable Instant date, boolean resent) {
            this(waitingSinceMillis, date, resent, null);
        }
    }

    /**
     * The write was not applied because its condition did not hold.
     *
     * @param item the item that did not satisfy the condition; {@code null} if the key has no item or a batch's reply
     *     lacks the item
     */
    record Refused(
            @Nullable LeaseItem item,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity) implements StoreReply {

        public Refused(@Nullable LeaseItem item, @Nullable Instant date, boolean resent) {
            this(item, date, resent, null);
        }
    }

    /**
     * A transaction was not applied, because the conditions of some of its items did not hold. For an item that is not
     * in {@code refusals}, it is unknown whether the item's condition held.
     */
    record GroupRefused(
            List<Refusal> refusals,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity) implements StoreReply {

        public GroupRefused {
            refusals = List.copyOf(refusals);
        }

        public GroupRefused(List<Refusal> refusals, @Nullable Instant date, boolean resent) {
            this(refusals, date, resent, null);
        }
    }

    /** An item that did not satisfy its condition in a transaction. */
    record Refusal(String key, @Nullable LeaseItem item) {

        public @Nullable String version() {
            return item == null ? null : item.version();
        }

        @Override
        public String toString() {
            return Text.record("Refusal", "key, item", key, item);
        }
    }

    /** The replies to the commands of a batch, in the order of the commands. */
    record Each(List<StoreReply> replies) implements StoreReply {

        public Each {
            replies = List.copyOf(replies);
        }

        @Override
        public @Nullable Instant date() {
            return replies.stream()
                    .map(StoreReply::date)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public boolean resent() {
            return replies.stream().anyMatch(StoreReply::resent);
        }

        @Override
        public @Nullable Double capacity() {
            List<Double> reported = replies.stream()
                    .map(StoreReply::capacity)
                    .filter(Objects::nonNull)
                    .toList();
            return reported.isEmpty()
                    ? null
                    : Double.valueOf(
                            reported.stream().mapToDouble(units -> units).sum());
        }
    }

    /** The result of a consistent read. */
    record Found(
            @Nullable LeaseItem item,
            @Nullable Instant date,
            @Nullable Double capacity) implements StoreReply {

        public Found(@Nullable LeaseItem item, @Nullable Instant date) {
            this(item, date, null);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * The result of a consistent read of several items. A requested key that is in none of {@code items},
     * {@code unread} and {@code malformed} has no item.
     *
     * @param unread the keys of items that the store did not read, for example because of throttling; another read may
     *     show the items
     * @param malformed the keys of items that are not leases, or that the store refuses to read
     */
    record FoundEach(
            List<LeaseItem> items,
            List<String> unread,
            List<String> malformed,
            @Nullable Instant date,
            @Nullable Double capacity)
            implements StoreReply {

        public FoundEach {
            items = List.copyOf(items);
            unread = List.copyOf(unread);
            malformed = List.copyOf(malformed);
        }

        public boolean shows(String key) {
            return !unread.contains(key) && !malformed.contains(key);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * The reply to a {@link StoreRequest.Scan}: one page of items.
     *
     * @param next the key after which the next page begins; {@code null} if this is the last page
     */
    record Listed(
            List<LeaseItem> items,
            List<String> malformed,
            @Nullable String next,
            @Nullable Instant date,
            @Nullable Double capacity)
            implements StoreReply {

        public Listed {
            items = List.copyOf(items);
            malformed = List.copyOf(malformed);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    record Failed(
            FailureKind kind, Throwable cause, @Nullable Instant date, boolean resent) implements StoreReply {}

    /** The kind of a failure, which shows whether the write may have been applied and whether a retry may succeed. */
    enum FailureKind {
        /** The write was not applied, for example because the connection was refused; a retry may succeed. */
        NOT_APPLIED,
        /** The write was not applied, because another transaction writes the same item; a retry may succeed. */
        CONFLICT,
        /**
         * The write was not applied, because the table receives more requests than it can serve; a later retry may
         * succeed.
         */
        THROTTLED,
        /**
         * The write may have been applied, or may still be applied, for example after a timeout, a broken connection or
         * a server error.
         */
        UNKNOWN,
        /**
         * The write was not applied, and a retry cannot succeed until somebody removes the cause, for example denied
         * access or a missing table.
         */
        REJECTED,
        /**
         * The write was not applied, because the store denies batches; the write may succeed if it is sent outside a
         * batch.
         */
        BATCH_REJECTED
    }
}
