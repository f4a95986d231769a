package io.leasekit.engine;

import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One acquire call with its retries, and the lease it gives: the versions it has sent and what is known of each. A write
 * whose reply was lost may have been applied, or may still be; so the tenure remembers every attempt from the confirmed one
 * on, and a version that turns up in the table tells which of them was applied.
 *
 * <p>A version is {@code <tenure UUID>-<8 lower-case hex digits, counting from 1>}: those of one tenure sort by number.
 *
 * <p>Not thread-safe: lives in its lease's mailbox.
 */
final class Tenure {

    /** The tenure of a release by force: nobody's. */
    static final UUID NOBODY = new UUID(0, 0);

    private static final int UUID_LENGTH = 36;
    private static final int DIGITS = 8;

    /**
     * A write that was sent.
     *
     * @param number its number in the tenure
     * @param reading the clock that its expiry was made from
     * @param expiry the end it writes, in epoch seconds
     * @param token the token it writes, 0 for a renewal
     */
    record Attempt(int number, BoundedClock.Reading reading, long expiry, long token) {
        long sent() {
            return reading.sent();
        }
    }

    /**
     * A write of an acquire that the table shows.
     *
     * @param written the attempt that wrote it
     * @param token the token of the item
     * @param renewAtOnce whether a later attempt was refused by it
     * @param handedOver whether a tenure of this process handed it over
     * @param waitedFor whether another process has marked the item as waited for
     */
    record Grant(Attempt written, long token, boolean renewAtOnce, boolean handedOver, boolean waitedFor) {}

    private final UUID id;
    private final Deque<Attempt> attempts = new ArrayDeque<>(2);
    private int last;
    private long largestToken;
    private long largestExpiry;
    private boolean unanswered;
    private @Nullable Boolean hasRun;

    Tenure(UUID id) {
        this.id = id;
    }

    UUID id() {
        return id;
    }

    /** Returns the number of the attempt sent last, 0 before the first. */
    int last() {
        return last;
    }

    /** Returns the largest token that was sent: no expiry may be stored below it, whichever attempt was applied last. */
    long largestToken() {
        return largestToken;
    }

    /** Returns the latest end that was sent: no renewal may pull it back, whatever the clock says meanwhile. */
    long largestExpiry() {
        return largestExpiry;
    }

    Attempt next(BoundedClock.Reading reading, long expiry, long token) {
        Attempt attempt = new Attempt(++last, reading, expiry, token);
        attempts.addLast(attempt);
        largestToken = Math.max(largestToken, token);
        largestExpiry = Math.max(largestExpiry, expiry);
        return attempt;
    }

    /** Returns what is known of the attempt with this number; {@code null} once it is forgotten. */
    @Nullable
    Attempt attempt(int number) {
        for (Attempt attempt : attempts) {
            if (attempt.number == number) {
                return attempt;
            }
        }
        return null;
    }

    /** Forgets the earliest attempts as long as they are useless: there may be many while a lease is waited for. */
    void forgetWhile(Predicate<Attempt> useless) {
        while (!attempts.isEmpty() && useless.test(attempts.getFirst())) {
            attempts.removeFirst();
        }
    }

    /** Forgets the attempts before this one, never those after it. */
    void confirm(Attempt confirmed) {
        while (!attempts.isEmpty() && attempts.getFirst().number < confirmed.number) {
            attempts.removeFirst();
        }
    }

    /** Notes that an acquire attempt, or a copy of one, may still be applied or may have been without our knowing. */
    void leaveUnanswered() {
        unanswered = true;
    }

    boolean isUnanswered() {
        return unanswered;
    }

    /** Notes what a reply shows of the last run's name; only this tenure's own release changes it once it is granted. */
    void sawRun(@Nullable LeaseItem item) {
        hasRun = item != null && item.lastRun() != null && item.lastRun().name() != null;
    }

    /** Notes what the reply to an acquire that was applied shows of the last run's name. */
    void sawRun(StoreReply reply) {
        if (reply instanceof StoreReply.Applied applied) {
            hasRun = applied.hasRun();
        }
    }

    /** Notes that what was seen of the last run may be out of date. */
    void forgetRun() {
        hasRun = null;
    }

    /** Returns whether the item may tell of a run that is done, for all that is known. */
    boolean mayHaveRun() {
        return hasRun == null || hasRun;
    }

    String version(int number) {
        return version(id, number);
    }

    static String version(UUID tenure, int number) {
        return tenure + "-" + HexFormat.of().toHexDigits(number);
    }

    VersionRange versions(int first, int last) {
        return new VersionRange(version(first), version(last));
    }

    /** Returns the number in a version of our form. */
    static int numberIn(String version) {
        return Integer.parseUnsignedInt(version, UUID_LENGTH + 1, version.length(), 16);
    }

    /** Returns the tenure that wrote this version; {@code null} if it is not of our form. */
    static @Nullable UUID tenureOf(String version) {
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
