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
 * Records all writes of one tenure: one acquire call and the lease that the call gets. Each attempt to write has a
 * version of its own, so the version in the table shows which attempt was applied. A write without a reply might have
 * been applied, or might be applied later. Because an attempt without a reply might have been applied, every attempt
 * since the last confirmed attempt is remembered, except acquire attempts that are too old to be granted.
 *
 * <p>A version consists of the tenure's UUID, a hyphen and the attempt number (8 lower-case hex digits, counted from
 * 1), so the versions of one tenure sort in the order of their attempts.
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
     * @param number the attempt number: the position of the write among the writes of the tenure, from 1
     * @param reading the clock reading from which the expiry was computed
     * @param held the time for which the lease had been held when the write was sent, in nanoseconds; 0 for an acquire
     * @param claim the time after which other owners may acquire the lease if no further write follows, counted from
     *     this write, in nanoseconds
     * @param expiry the expiry in the write, in epoch seconds
     * @param token the fencing token in the write; 0 for a renewal
     */
    public record Attempt(int number, BoundedClock.Reading reading, long held, long claim, long expiry, long token) {
        public long sent() {
            return reading.sent();
        }
    }

    /**
     * The grant of a lease, with the acquire attempt that was applied.
     *
     * @param written the attempt that was applied
     * @param token the fencing token in the item
     * @param renewAtOnce whether the lease must be renewed at once, because a later attempt was refused after
     *     {@code written} had been applied
     * @param handedOver whether another caller of this process held the lease before and passed it on
     * @param waitedFor whether the item has a {@code waiting_since}, written by a waiter of another process
     */
    public record Grant(Attempt written, long token, boolean renewAtOnce, boolean handedOver, boolean waitedFor) {}

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

    /** Returns the attempt number of the last attempt that was sent; 0 before the first attempt. */
    public int last() {
        return last;
    }

    /**
     * Returns the largest fencing token that was sent. A token is a time in epoch milliseconds. An acquire never writes
     * an expiry before the time in its token, so item TTL cannot remove an item while a new acquire could get a smaller
     * token.
     */
    public long largestToken() {
        return largestToken;
    }

    /**
     * Returns the latest expiry that was sent, in epoch seconds: no renewal may write an earlier expiry, even if the
     * clock was set back.
     */
    public long largestExpiry() {
        return largestExpiry;
    }

    public long longestClaim() {
        return longestClaim;
    }

    /**
     * Makes {@link #longestClaim()} also cover the writes of the caller of this process that held the lease before and
     * passed it on.
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

    /**
     * Discards the earliest attempts, up to the first one that is still useful, because a long wait for a lease makes
     * many attempts.
     */
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

    /**
     * Records that an acquire attempt, or a copy of an attempt, might have been applied without a reply, or might still
     * be applied.
     */
    public void leaveUnanswered() {
        unanswered = true;
    }

    public boolean isUnanswered() {
        return unanswered;
    }

    /**
     * Remembers the records (run, progress, run history) of the item in a reply. After the grant, only the holder
     * changes the records.
     */
    public void sawRecords(Records shown) {
        before = shown;
        recordsKnown = true;
    }

    /**
     * Remembers the item of the dead holder whose lease this acquire has overwritten; {@code null} if this acquire has
     * overwritten no lease.
     */
    public void tookOver(@Nullable LeaseItem item) {
        dead = item;
    }

    /** Returns the item of the dead holder whose lease this acquire has overwritten; {@code null} if none is known. */
    public @Nullable LeaseItem deadBefore() {
        return dead;
    }

    /**
     * Returns the records (run, progress, run history) that the item had before the acquire, as far as the lease needs
     * them.
     */
    public Records before() {
        return before;
    }

    public void forgetRecords() {
        recordsKnown = false;
    }

    /**
     * Notes that the acquire and each later write of this tenure set an expiry that is later than the end of the lease,
     * so that item TTL removes the items only some time after the end of the lease.
     */
    public void keepLonger() {
        keptLonger = true;
    }

    public boolean isKeptLonger() {
        return keptLonger;
    }

    /**
     * Returns whether the item may contain this record: the last reply showed the record, or no reply has shown the
     * item's records.
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
