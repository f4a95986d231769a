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
 * One acquire call with its retries, and the lease that it gets. A tenure remembers the versions that it sent, and the
 * attempts that wrote them. A write without a reply may have been applied, or may be applied later. Therefore a tenure
 * remembers every attempt since the confirmed one, except acquire attempts that are too old for a grant. From these
 * attempts, a version in the table shows which attempt was applied.
 *
 * <p>A version is {@code <tenure UUID>-<8 lower-case hex digits, counting from 1>}, so the versions of a tenure sort by
 * number.
 *
 * <p>Only {@link #id()} and {@link #before()} are thread-safe. All other methods are used in the mailbox of the
 * lease.
 */
@Internal
public final class Tenure {

    /** The tenure in the version of a forced release, which belongs to no process. */
    public static final UUID NOBODY = new UUID(0, 0);

    private static final int UUID_LENGTH = 36;
    private static final int DIGITS = 8;

    /** The attempts of a tenure that remembers none. Shared, because thousands of callers may wait. Always empty. */
    private static final Deque<Attempt> NONE = new ArrayDeque<>(0);

    /**
     * A write that was sent.
     *
     * @param number the number of the write in the tenure
     * @param reading the clock reading from which the expiry was computed
     * @param held the time for which the lease had been held when the write was sent, in nanoseconds; 0: an acquire
     * @param claim the time for which the write claims the lease, in nanoseconds
     * @param expiry the expiry in the write, in epoch seconds
     * @param token the token in the write; 0: a renewal
     */
    public record Attempt(int number, BoundedClock.Reading reading, long held, long claim, long expiry, long token) {
        public long sent() {
            return reading.sent();
        }
    }

    /**
     * An applied write of an acquire.
     *
     * @param written the attempt that was applied
     * @param token the token of the item
     * @param renewAtOnce whether the write refused a later attempt, so that the lease must be renewed at once
     * @param handedOver whether another tenure of this process handed the lease over
     * @param waitedFor whether a waiter of another process has marked the item
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
    private volatile Records before = Records.NONE; // read by any thread
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
     * Returns the largest token that was sent. No stored expiry may be below it, whichever attempt was applied last.
     */
    public long largestToken() {
        return largestToken;
    }

    /** Returns the latest expiry that was sent. No renewal may write an earlier end, even if the clock has changed. */
    public long largestExpiry() {
        return largestExpiry;
    }

    /** Returns the longest time for which a write may keep the lease, in nanoseconds. */
    public long longestClaim() {
        return longestClaim;
    }

    /**
     * Includes the claim of a predecessor in the longest claim, because a release of this tenure also ends the
     * predecessor's writes.
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

    /** Returns the attempt with this number; {@code null} if the tenure no longer remembers it. */
    @Nullable
    public Attempt attempt(int number) {
        for (Attempt attempt : attempts) {
            if (attempt.number == number) {
                return attempt;
            }
        }
        return null;
    }

    /** Discards the earliest attempts if they are no longer needed. A long wait for a lease makes many attempts. */
    public void forgetWhile(Predicate<Attempt> useless) {
        while (!attempts.isEmpty() && useless.test(attempts.getFirst())) {
            attempts.removeFirst();
        }
        if (attempts.isEmpty()) {
            attempts = NONE;
        }
    }

    /** Discards the attempts before this attempt. */
    public void forgetBefore(Attempt confirmed) {
        while (!attempts.isEmpty() && attempts.getFirst().number < confirmed.number) {
            attempts.removeFirst();
        }
    }

    /**
     * Records that an acquire attempt, or a copy of an attempt, may have been applied unnoticed or may still be
     * applied.
     */
    public void leaveUnanswered() {
        unanswered = true;
    }

    public boolean isUnanswered() {
        return unanswered;
    }

    /** Records what an item had before the acquire, from a reply. After the grant, only this tenure changes it. */
    public void sawRecords(Records shown) {
        before = shown;
        recordsKnown = true;
    }

    /**
     * Records that this tenure has taken over the lease of a holder that had neither renewed nor released it; {@code null}:
     * it has taken over no such lease.
     */
    public void tookOver(@Nullable LeaseItem item) {
        dead = item;
    }

    /** Returns the lease that this tenure has taken over from a dead holder; {@code null}: none is known. */
    public @Nullable LeaseItem deadBefore() {
        return dead;
    }

    /** Returns the records before this tenure, as far as its lease needs them. */
    public Records before() {
        return before;
    }

    /** Records that the known records may be outdated. */
    public void forgetRecords() {
        recordsKnown = false;
    }

    /**
     * Records that the acquire and each later write of this tenure let item TTL remove the items only some time after
     * the end of the lease.
     */
    public void keepLonger() {
        keptLonger = true;
    }

    /** Returns whether item TTL may remove the items only some time after the end of the lease. */
    public boolean isKeptLonger() {
        return keptLonger;
    }

    /** Returns whether the item may have this record, as far as this tenure knows. */
    public boolean mayHave(String record) {
        return !recordsKnown || before.has(record);
    }

    public String version(int number) {
        return version(id, number);
    }

    /** Returns whether a holder, rather than a forced release, wrote this version; {@code false} for {@code null}. */
    public static boolean isOfAHolder(@Nullable String version) {
        return version != null && !NOBODY.equals(tenureOf(version));
    }

    /** Returns whether the item shows that another owner acquired the lease after a tenure with this largest token. */
    public static boolean isOfAnother(LeaseItem item, long largestToken) {
        boolean released = item.token() != null && item.token() > largestToken; // by the other owner
        return isOfAHolder(item.version()) || released;
    }

    /** Returns whether the same tenure wrote both versions. {@code other} may be {@code null}, which is no version. */
    public static boolean isSame(String version, @Nullable String other) {
        return other != null && Objects.equals(tenureOf(version), tenureOf(other));
    }

    public static String version(UUID tenure, int number) {
        return tenure + "-" + HexFormat.of().toHexDigits(number);
    }

    public VersionRange versions(int first, int last) {
        return new VersionRange(version(first), version(last));
    }

    /** Returns the number in a version of this class. */
    public static int numberIn(String version) {
        return Integer.parseUnsignedInt(version, UUID_LENGTH + 1, version.length(), 16);
    }

    /** Returns the tenure whose version the item has; {@code null}: the item has none or does not exist. */
    public static @Nullable UUID shownBy(@Nullable LeaseItem item) {
        return item == null || item.version() == null ? null : tenureOf(item.version());
    }

    /** Returns the tenure that wrote this version; {@code null}: the version has another format. */
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
