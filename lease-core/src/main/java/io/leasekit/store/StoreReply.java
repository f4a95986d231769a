package io.leasekit.store;

import io.leasekit.internal.Text;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a store answers. Expected outcomes are values: a store completes its stages normally, with one of these. */
public sealed interface StoreReply {

    /**
     * Returns the store's own time when it answered, cut to the second, as its reply tells it; {@code null} when the reply
     * has none or there was no reply.
     */
    @Nullable
    Instant date();

    /**
     * Returns whether copies of the request other than the answered one may have been sent: what they did is not known.
     */
    boolean resent();

    /**
     * Returns the capacity units that the request consumed, read units of a read and write units of a write; {@code null} where
     * the store was not asked for them, or does not tell. Of several replies to one request each tells its share.
     */
    default @Nullable Double capacity() {
        return null;
    }

    /**
     * The write was applied.
     *
     * @param waitingSinceMillis since when another process waited, in epoch milliseconds, as the item told before an acquire
     *     or a release that keeps the item; {@code null}: none said so, or the write was another one
     * @param hasRun whether the item told the name of a last run before an acquire; {@code false} for any other write
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Applied(
            @Nullable Long waitingSinceMillis,
            boolean hasRun,
            @Nullable Instant date,
            boolean resent,
            @Nullable Double capacity)
            implements StoreReply {

        /** The write of an item without a last run, or no acquire, by a store that does not tell the capacity. */
        public Applied(@Nullable Long waitingSinceMillis, @Nullable Instant date, boolean resent) {
            this(waitingSinceMillis, false, date, resent, null);
        }
    }

    /**
     * The write was not applied, because its condition did not hold.
     *
     * @param item the item that refused it; {@code null}: there is none
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     */
    record Refused(@Nullable LeaseItem item, @Nullable Instant date, boolean resent) implements StoreReply {}

    /**
     * A write of several items was not applied, to none of them, because the conditions of some did not hold. Nothing is known
     * of the items that are not among the refusals.
     *
     * @param refusals the items whose conditions did not hold, at least one, as each was when it was looked at
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     */
    record GroupRefused(List<Refusal> refusals, @Nullable Instant date, boolean resent) implements StoreReply {

        /** Copies the refusals. */
        public GroupRefused {
            refusals = List.copyOf(refusals);
        }
    }

    /**
     * One item that refused a write of several.
     *
     * @param key the key of the command that it refused
     * @param item the item; {@code null}: there is none
     */
    record Refusal(String key, @Nullable LeaseItem item) {

        /** Returns the version that the item shows; {@code null}: it is free, or there is none. */
        public @Nullable String version() {
            return item == null ? null : item.version();
        }

        @Override
        public String toString() {
            return Text.record("Refusal", "key, item", key, item);
        }
    }

    /**
     * What a consistent read found.
     *
     * @param item the item; {@code null}: there is none
     * @param date see {@link StoreReply#date()}
     * @param capacity see {@link StoreReply#capacity()}
     */
    record Found(
            @Nullable LeaseItem item,
            @Nullable Instant date,
            @Nullable Double capacity) implements StoreReply {

        /** What a store found that does not tell the capacity. */
        public Found(@Nullable LeaseItem item, @Nullable Instant date) {
            this(item, date, null);
        }

        @Override
        public boolean resent() {
            return false;
        }
    }

    /**
     * What a look at a part of the table found.
     *
     * @param items the items that were looked for
     * @param malformed the keys of items among them that are no leases
     * @param next the key after which the next part begins; {@code null}: this was the last
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
     * @param kind what that says about the write
     * @param cause the store's own error
     * @param date see {@link StoreReply#date()}
     * @param resent see {@link StoreReply#resent()}
     */
    record Failed(
            FailureKind kind, Throwable cause, @Nullable Instant date, boolean resent) implements StoreReply {}

    /** What a failure says about the write. */
    enum FailureKind {
        /** It was surely not applied, and may be when tried again (throttling, transaction conflict, refused connection). */
        NOT_APPLIED,
        /** It may have been applied or may still be (timeout, broken connection, server error). */
        UNKNOWN,
        /** It was not applied and will not be until somebody changes something (access denied, no such table). */
        REJECTED
    }
}
