package io.leasekit.tenure;

import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.store.VersionRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Records all writes of one tenure. A tenure is one acquire call and the lease that the call gets. Each write attempt
 * has its own version, so the version in the table shows which attempt was applied. A write without a reply might have
 * been applied, or might be applied later. A tenure remembers every attempt since the last confirmed attempt. A tenure
 * forgets acquire attempts that are too old to be granted.
 *
 * <p>A version consists of the tenure's UUID, a hyphen and the attempt number as 8 lower-case hex digits. Attempts are
 * counted from 1. The versions of one tenure sort in the order of the attempts.
 *
 * <p>Only {@link #id()} and {@link #before()} are thread-safe.
 */
@Internal
public final class Tenure {

    /** The UUID in versions that a forced release writes; no tenure has this UUID. */
    public static final UUID NOBODY = new UUID(0, 0);

    private static final int UUID_LENGTH = 36;
    private static final int DIGITS = 8;

    /** An empty queue, never changed, that all tenures without attempts share to save memory. */
    private static final Deque<Attempt> NONE = new ArrayDeque<>(0);

    /**
     * A write that was sent.
     *
     * @param number the position of the write among the tenure's writes, counted from 1
     * @param reading the clock reading from which the expiry was computed
     * @param held the time for which the lease had been held when the write was sent, in nanoseconds; 0 for an acquire
     * @param claim the time from this write until other owners may acquire the lease, in nanoseconds, if no further
     *     write follows
     * @param expiry the expiry in the write, in epoch seconds
     * @param token the fencing token in the write; 0 for a renewal
     */
    public record Attempt(int number, BoundedClock.Reading reading, long held, long claim, long expiry, long token) {
        public long sent() {
            return reading.sent();
        }
    }

    /**
     * The grant of a lease by an applied acquire attempt.
     *
     * @param written the attempt that was applied
     * @param token the fencing token in the item
     * @param renewAtOnce whether the lease must be renewed at once; {@code true} if a later acquire attempt was refused
     *     because {@code written} had been applied
     * @param handedOverDespiteWaiters whether another caller of this process passed the lease on to this caller although a
     *     waiter of another process has marked the item ({@code waiting_since})
     */
    public record Grant(Attempt written, long token, boolean renewAtOnce, boolean handedOverDespiteWaiters) {}

    private final UUID id;
    private Deque<Attempt> attempts = NONE;
    private int last;
    private long largestToken;
    private long largestExpiry;
    private long longestClaim;
    private boolean unanswered;
    private boolean keptLonger;
    private volatile Records before = Records.NONE; // any thread may read this field
    private @Nullable LeaseItem dead;
    private boolean recordsKnown;

    public Tenure(UUID id) {
        this.id = id;
    }

    public UUID id() {
        return id;
    }

    /** Returns the number of the last attempt that was sent; 0 before the first attempt. */
    public int last() {
        return last;
    }

    /**
     * Returns the largest fencing token that was sent. A token is a time in epoch milliseconds. An acquire never writes
     * an expiry that is earlier than its token. After item TTL has removed an item, the next acquire therefore gets a
     * larger token than the item had.
     */
    public long largestToken() {
        return largestToken;
    }

    /**
     * Returns the latest expiry that was sent, in epoch seconds. No renewal may write an earlier expiry, even if the
     * clock was set back.
     */
    public long largestExpiry() {
        return largestExpiry;
    }

    public long longestClaim() {
        return longestClaim;
    }

    /**
     * Raises {@link #longestClaim()} to at least {@code claim}, the longest claim of the caller that passed the lease
     * on.
     */
    public void covers(long claim) {
        longestClaim = Math.max(longestClaim, claim);
    }

    @SuppressWarnings("ReferenceEquality") // all tenures share NONE, so nothing may be added to it
    public Attempt next(BoundedClock.Reading reading, long held, long claim, long expiry, long token) {
        Attempt attempt = new Attempt(++last, reading, held, claim, expiry, token);
        if (attempts == NONE) {
            attempts = new ArrayDeque<>(2);
        }
        attempts.addLast(attempt);
        largestToken = Math.max(largestToken, token);
        largestExpiry = Math.max(largestExpiry, expiry);
        longestClaim = Math.max(longestClaim, claim);
        return attempt;
    }

    @Nullable
    public Attempt attempt(int number) {
        for (Attempt attempt : attempts) {
            if (attempt.number == number) {
                return attempt;
            }
        }
        return null;
    }

    /** Discards the earliest attempts up to the first useful one. A long wait for a lease makes many attempts. */
    public void forgetWhile(Predicate<Attempt> useless) {
        while (!attempts.isEmpty() && useless.test(attempts.getFirst())) {
            attempts.removeFirst();
        }
        if (attempts.isEmpty()) {
            attempts = NONE;
        }
    }

    public void forgetBefore(Attempt confirmed) {
        while (!attempts.isEmpty() && attempts.getFirst().number < confirmed.number) {
            attempts.removeFirst();
        }
    }

    /** Records that an acquire attempt might have been applied without a reply, or might still be applied. */
    public void leaveUnanswered() {
        unanswered = true;
    }

    public boolean isUnanswered() {
        return unanswered;
    }

    /**
     * Remembers the records (run, progress, run history) that a reply shows. While a lease is held, only the holder
     * changes the item's records.
     */
    public void sawRecords(Records shown) {
        before = shown;
        recordsKnown = true;
    }

    /**
     * Remembers the dead holder's item, which this acquire has overwritten; {@code null} if there was no dead holder.
     */
    public void tookOver(@Nullable LeaseItem item) {
        dead = item;
    }

    /** Returns the dead holder's item, which this acquire has overwritten; {@code null} if no dead holder is known. */
    public @Nullable LeaseItem deadBefore() {
        return dead;
    }

    /** Returns the records that the item had before the acquire: run, progress and run history. */
    public Records before() {
        return before;
    }

    public void forgetRecords() {
        recordsKnown = false;
    }

    /**
     * Records that the writes of this tenure set an expiry that is later than the end of the lease. The later expiry
     * delays the removal of the item by item TTL.
     */
    public void keepLonger() {
        keptLonger = true;
    }

    public boolean isKeptLonger() {
        return keptLonger;
    }

    /**
     * Returns whether the item may contain this record. Returns {@code true} if no reply has shown the item's records.
     */
    public boolean mayHave(String record) {
        return !recordsKnown || before.has(record);
    }

    public String version(int number) {
        return version(id, number);
    }

    /**
     * Returns whether a holder wrote this version; {@code false} if a forced release wrote the version or the version
     * is {@code null}.
     */
    public static boolean isOfAHolder(@Nullable String version) {
        return version != null && !NOBODY.equals(tenureOf(version));
    }

    /**
     * Returns whether another owner has acquired the lease; {@code false} if the lease was released by force.
     * {@code item}: the item in the reply that refused the holder's write. {@code largestToken}: the largest token that
     * the holder has sent.
     */
    public static boolean isOfAnother(LeaseItem item, long largestToken) {
        boolean released = item.token() != null && item.token() > largestToken; // by the other owner
        return isOfAHolder(item.version()) || released;
    }

    /**
     * Returns whether {@code version} and {@code other} have the same tenure UUID; {@code false} if {@code other} is
     * {@code null}.
     */
    public static boolean isSame(String version, @Nullable String other) {
        return other != null && Objects.equals(tenureOf(version), tenureOf(other));
    }

    public static String version(UUID tenure, int number) {
        return tenure + "-" + HexFormat.of().toHexDigits(number);
    }

    public VersionRange versions(int first, int last) {
        return new VersionRange(version(first), version(last));
    }

    /** Returns the attempt number in a version that this class has created. */
    public static int numberIn(String version) {
        return Integer.parseUnsignedInt(version, UUID_LENGTH + 1, version.length(), 16);
    }

    /**
     * Returns the tenure UUID in the item's version; {@code null} if there is no item, or if the item has no version in
     * this class's format.
     */
    public static @Nullable UUID shownBy(@Nullable LeaseItem item) {
        return item == null || item.version() == null ? null : tenureOf(item.version());
    }

    /** Returns the tenure UUID in this version; {@code null} if the version has another format. */
    public static @Nullable UUID tenureOf(String version) {
        if (version.length() != UUID_LENGTH + 1 + DIGITS || version.charAt(UUID_LENGTH) != '-') {
            return null;
        }
        for (int i = UUID_LENGTH + 1; i < version.length(); i++) {
            if (Character.digit(version.charAt(i), 16) < 0) {
                return null;
            }
        }
        try {
            return UUID.fromString(version.substring(0, UUID_LENGTH));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
