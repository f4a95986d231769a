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
 * been applied, or might be applied later.
 *
 * <p>A version consists of the tenure's UUID, a hyphen and the attempt number as 8 lower-case hex digits. The versions
 * of one tenure sort in the order of the attempts.
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
     * @param held the time for which the lease had been held when the write was sent, in nanoseconds; 0 for an acquire
     * @param claim the nanoseconds after which other owners may acquire the lease if no further write follows
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
     * @param renewAtOnce {@code true} if a later acquire attempt was refused because {@code written} had been applied
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
    private volatile Records before = Records.NONE;
    private @Nullable LeaseItem dead;
    private boolean recordsKnown;

    public Tenure(UUID id) {
        this.id = id;
    }

    public UUID id() {
        return id;
    }

    public int last() {
        return last;
    }

    /**
     * A token is a time in epoch milliseconds. No lease expires before the time of its token, so an acquire after a
     * removal by item TTL gets a larger token.
     */
    public long largestToken() {
        return largestToken;
    }

    /** In epoch seconds; no renewal may write an earlier expiry, even if the clock was set back. */
    public long largestExpiry() {
        return largestExpiry;
    }

    public long longestClaim() {
        return longestClaim;
    }

    /** Raises {@link #longestClaim()} to the longest claim of the caller that passed the lease on. */
    public void covers(long claim) {
        longestClaim = Math.max(longestClaim, claim);
    }

    // All tenures share NONE, so this method must recognize NONE and replace NONE by a new queue.
    @SuppressWarnings("ReferenceEquality")
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

    /** Limits the number of remembered attempts, because a long wait makes many attempts. */
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

    public void leaveUnanswered() {
        unanswered = true;
    }

    public boolean isUnanswered() {
        return unanswered;
    }

    /** While a lease is held, only the holder changes the item's records. */
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

    public @Nullable LeaseItem deadBefore() {
        return dead;
    }

    /** Returns the records that the item had before the acquire. */
    public Records before() {
        return before;
    }

    public void forgetRecords() {
        recordsKnown = false;
    }

    /** Records that a write has delayed the removal by item TTL beyond the end of the lease. */
    public void keepLonger() {
        keptLonger = true;
    }

    public boolean isKeptLonger() {
        return keptLonger;
    }

    public boolean mayHave(String record) {
        return !recordsKnown || before.has(record);
    }

    public String version(int number) {
        return version(id, number);
    }

    /** Returns {@code false} if a forced release wrote the version or the version is {@code null}. */
    public static boolean isOfAHolder(@Nullable String version) {
        return version != null && !NOBODY.equals(tenureOf(version));
    }

    /**
     * Returns whether another owner has acquired the lease; {@code false} if the lease was released by force. {@code
     * largestToken}: the largest token that the holder has sent.
     */
    public static boolean isOfAnother(LeaseItem item, long largestToken) {
        // A larger token shows that another owner has acquired the lease in the meantime.
        boolean released = item.token() != null && item.token() > largestToken;
        return isOfAHolder(item.version()) || released;
    }

    public static boolean isSame(String version, @Nullable String other) {
        return other != null && Objects.equals(tenureOf(version), tenureOf(other));
    }

    public static String version(UUID tenure, int number) {
        return tenure + "-" + HexFormat.of().toHexDigits(number);
    }

    public VersionRange versions(int first, int last) {
        return new VersionRange(version(first), version(last));
    }

    public static int numberIn(String version) {
        return Integer.parseUnsignedInt(version, UUID_LENGTH + 1, version.length(), 16);
    }

    public static @Nullable UUID shownBy(@Nullable LeaseItem item) {
        return item == null || item.version() == null ? null : tenureOf(item.version());
    }

    /** Returns {@code null} if the version has another format. */
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
