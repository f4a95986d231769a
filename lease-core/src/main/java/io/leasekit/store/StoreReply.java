package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reply of a store. Expected outcomes are values: the stages of a store complete normally with one of these. */
@Internal
public sealed interface StoreReply {

    /**
     * Returns the store's own time at its reply, cut to the second; {@code null} if the reply has none or there was no reply.
     */
    @Nullable
    Instant date();

    /** Returns whether other copies of the request may have been sent. Their effect is not known. */
    boolean resent();

    /**
     * Returns whether this copy of the request has not been applied and never will be. Another copy may have been: see {@link
     * #resent}, and the version that a refusal shows.
     */
    default boolean isSurelyNotWritten() {
        return this instanceof Refused
                || this instanceof GroupRefused
                || (this instanceof Failed failed && failed.kind() != FailureKind.UNKNOWN);
    }

    /**
     * Returns the consumed capacity: read units of a read, write units of a write; {@code null} if the store does not
     * report it. If one request has several replies, each reports its share. DynamoDB charges for refused writes, but
     * does not report their units: these are derived from the number of items, each of at most 1 KB.
     */
    default @Nullable Double capacity() {
        return null;
    }

    /**
     * The write was applied.
     *
     * @param waitingSinceMillis the time of the mark that another process waits, which the item had before an acquire, or before a
     *     release that keeps the item, in epoch milliseconds; {@code null}: no mark, or another kind of write
     * @param runBefore the name of the last run that the item had before an acquire; {@code null}: no name, or another kind of
     *     write
     * @param progressBefore the progress that the item had before an acquire; {@code null}: none, or another kind of write
     * @param historyBefore the text of the last runs that the item had before an acquire; {@code null}: none, or another kind of
     *     write
     * @param heldBefore the item before an acquire of one key if it had a version, as a lease or a hold has; {@code null}: it
     *     was free, it is not known, or another kind of write. For display only
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Applied(
            @Nullable Long waitingSinceMillis,
            @Nullable String runBefore,
            @Nullable ItemProgress progressBefore,
            @Nullable String historyBefore,
            @Nullable LeaseItem heldBefore,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity)
            implements StoreReply {

        /** Creates a reply that does not report the item before. */
        public Applied(
                @Nullable Long waitingSinceMillis,
                @Nullable String runBefore,
                @Nullable Instant date,
                boolean resent,
                @Nullable Double capacity) {
            this(waitingSinceMillis, runBefore, null, null, null, date, resent, capacity);
        }

        /** Creates a reply that reports neither a last run nor the capacity. */
        public Applied(@Nullable Long waitingSinceMillis, @Nullable Instant date, boolean resent) {
            this(waitingSinceMillis, null, date, resent, null);
        }
    }

    /**
     * The write was not applied because its condition did not hold.
     *
     * @param item the item that did not satisfy the condition; {@code null}: there is none, or a batch does not show it
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Refused(
            @Nullable LeaseItem item,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity) implements StoreReply {

        /** Creates a reply without the capacity. */
        public Refused(@Nullable LeaseItem item, @Nullable Instant date, boolean resent) {
            this(item, date, resent, null);
        }
    }

    /**
     * A write of several items was applied to none of them because the conditions of some did not hold. The reply says
     * nothing about items that are not among the refusals.
     *
     * @param refusals the items that did not satisfy their conditions, at least one
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record GroupRefused(
            List<Refusal> refusals,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity) implements StoreReply {

        /** Copies the refusals. */
        public GroupRefused {
            refusals = List.copyOf(refusals);
        }

        /** Creates a reply without the capacity. */
        public GroupRefused(List<Refusal> refusals, @Nullable Instant date, boolean resent) {
            this(refusals, date, resent, null);
        }
    }

    /**
     * One item that did not satisfy its condition in a write of several.
     *
     * @param key the key of the refused command
     * @param item the item; {@code null}: there is none
     */
    record Refusal(String key, @Nullable LeaseItem item) {

        /** Returns the version of the item; {@code null} if the item is free or there is none. */
        public @Nullable String version() {
            return item == null ? null : item.version();
        }

        @Override
        public String toString() {
            return Text.record("Refusal", "key, item", key, item);
        }
    }

    /**
     * The replies to the commands of a batch, in their order. They have one date.
     *
     * @param replies the reply to each command, as to a {@link StoreRequest.Write}
     */
    record Each(List<StoreReply> replies) implements StoreReply {

        /** Copies the replies. */
        public Each {
            replies = List.copyOf(replies);
        }

        /** Returns the first date of a reply. */
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

        /** Returns the sum of what the replies report; {@code null} if none of them does. */
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

    /**
     * The result of a consistent read.
     *
     * @param item the item; {@code null}: there is none
     * @param date see {@link StoreReply#date()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Found(
            @Nullable LeaseItem item,
            @Nullable Instant date,
            @Nullable Double capacity) implements StoreReply {

        /** Creates a reply that does not report the capacity. */
        public Found(@Nullable LeaseItem item, @Nullable Instant date) {
            this(item, date, null);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * The result of a consistent read of several items. A key that is in none of the lists has no item.
     *
     * @param items the items that exist
     * @param unread the keys of items that the store did not read, for example because of throttling; another read may
     *     show them
     * @param malformed the keys of items that are not leases, or that the store refuses to read
     * @param date see {@link StoreReply#date()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record FoundEach(
            List<LeaseItem> items,
            List<String> unread,
            List<String> malformed,
            @Nullable Instant date,
            @Nullable Double capacity)
            implements StoreReply {

        /** Copies the lists. */
        public FoundEach {
            items = List.copyOf(items);
            unread = List.copyOf(unread);
            malformed = List.copyOf(malformed);
        }

        /** Returns whether the reply shows the item of this key, or that there is none. */
        public boolean shows(String key) {
            return !unread.contains(key) && !malformed.contains(key);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * One page of a list.
     *
     * @param items the matching items
     * @param malformed the keys of matching items that are not leases
     * @param next the key after which the next page begins; {@code null}: this is the last page
     * @param date see {@link StoreReply#date()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Listed(
            List<LeaseItem> items,
            List<String> malformed,
            @Nullable String next,
            @Nullable Instant date,
            @Nullable Double capacity)
            implements StoreReply {

        /** Copies the lists. */
        public Listed {
            items = List.copyOf(items);
            malformed = List.copyOf(malformed);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * The request failed.
     *
     * @param kind the consequence for the write
     * @param cause the store's own error
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     */
    record Failed(
            FailureKind kind, Throwable cause, @Nullable Instant date, boolean resent) implements StoreReply {}

    /** The consequence of a failure for its write. */
    enum FailureKind {
        /** The write was not applied; a retry may be (refused connection). */
        NOT_APPLIED,
        /** The write was not applied, because another transaction writes the same item; a retry may succeed. */
        CONFLICT,
        /** The write was not applied, because the table gets more requests than it serves; a later retry may be. */
        THROTTLED,
        /** The write may have been applied or may still be (timeout, broken connection, server error). */
        UNKNOWN,
        /** The write was not applied, and a retry will not be until the cause is removed (access denied, no such table). */
        REJECTED,
        /** The write was not applied, because the store denies requests with several writes; a request of its own may be. */
        BATCH_REJECTED
    }
}
