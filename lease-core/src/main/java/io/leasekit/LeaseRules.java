package io.leasekit;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of the protocol on which its safety rests, one method each, without state. Each of them looks more careful
 * than it needs to be and has a schedule that breaks the simpler form; {@code ProtocolMutantsTest} keeps those forms. The
 * numbers are those of the steps in {@code ARCHITECTURE.md}.
 */
class LeaseRules {

    static final long SECOND = 1_000_000_000L;
    static final long MILLI = 1_000_000L;

    /** No acquire attempt is granted later than this after its sending, on any node (5.4). */
    static final long GRANT_DEADLINE = 2 * SECOND;

    private static final int MAX_HAND_OVERS = 16;
    private static final long JUMP_MILLIS = 100;

    /** How much a monotonic clock may be off after so long: 1,000 ppm (4). */
    static long drift(long nanos) {
        return nanos / 1_000;
    }

    /** 4.1: whether the wall clock has moved against the monotonic one by more than reading them explains. */
    boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /** 4.1: the monotonic time first, then the bounded clock that the expiry is made from, then the request is sent. */
    BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /** 4.1: until when a holder may believe in a grant or renewal: counted from before its sending, never from the reply. */
    long validUntil(Tenure.Attempt attempt, long received, long ttlNanos) {
        return attempt.sent() + ttlNanos - drift(ttlNanos);
    }

    /** 4.2: an acquire wants to know the time from a reply that is not old. */
    BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /** 4.2: what the replies say of DynamoDB's time: their intersection, or their hull while they disagree. */
    BoundedClock.Interval combine(
            BoundedClock.Interval innermost, BoundedClock.Interval hull, BoundedClock.Interval newest) {
        return innermost.earliest() <= innermost.latest() ? innermost : hull;
    }

    /** 4.2: the end to store: rounded up, and never below the token, so that item TTL removes no token too early. */
    long expiry(long latest, long durationNanos, long token) {
        return Math.max(-Math.floorDiv(-(latest + durationNanos), SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /** 6: the end of a hold: a schedule, so from the earliest time, but no more below its token than any other. */
    long holdExpiry(long earliest, long holdNanos, long token) {
        return Math.max(Math.floorDiv(earliest + holdNanos, SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /** 4.2: the expiry below which a lease has surely ended; two replies must agree on the time. */
    @Nullable
    Long freeBelow(BoundedClock.Reading reading) {
        return reading.agreed() ? Math.floorDiv(reading.earliest(), SECOND) : null;
    }

    /** 4.3: from when an observer counts: after the reply that first showed it. */
    long observedSince(long sent, long received) {
        return received;
    }

    /** 5.1: this tenure's own earlier attempts; an acquire overwrites them. */
    @Nullable
    VersionRange ownBeforeAcquire(Tenure tenure) {
        return tenure.last() == 0 ? null : tenure.versions(1, tenure.last());
    }

    /** 5.2: all that this tenure may have written, none newer than the version sent just before. */
    VersionRange ownBeforeRenew(Tenure tenure) {
        return tenure.versions(1, tenure.last());
    }

    /** 5.3: all that this tenure may have written. */
    VersionRange ownBeforeRelease(Tenure tenure) {
        return tenure.versions(1, tenure.last());
    }

    /** 6: what an acquire may take over from a tenure of its process: nothing but that tenure's versions. */
    VersionRange predecessorBeforeAcquire(VersionRange versions) {
        return versions;
    }

    /** 6: with its own versions, a release names those that its tenure was to take over. */
    @Nullable
    VersionRange predecessorBeforeRelease(VersionRange versions) {
        return versions;
    }

    /** 6: after so many hand-overs while another process waits, the lease is released for others. */
    boolean endsRun(int handOvers) {
        return handOvers >= MAX_HAND_OVERS;
    }

    /** 5.4: later than any token that an attempt of another node can still get. */
    long token(BoundedClock.Reading reading, long largestKnown) {
        return Math.max((reading.latest() + GRANT_DEADLINE) / MILLI, largestKnown + 1);
    }

    /** 5.5: whose validity a reply confirms that shows this version: the request's that wrote it, not the refused one's. */
    Tenure.@Nullable Attempt confirmed(Tenure tenure, int shown, int answered) {
        return tenure.attempt(shown);
    }

    /** 5.4: for how long an acquire attempt waits for its reply. */
    long acquireTimeout() {
        return GRANT_DEADLINE;
    }

    /** 5.5: as a first grant an attempt counts only before its own deadline. */
    boolean isGrantedInTime(Tenure.Attempt attempt, long received) {
        return received - attempt.sent() <= GRANT_DEADLINE;
    }

    /** 5.5: the number of the attempt that wrote this version, 0 if it is not this tenure's. Ours is the tenure's only. */
    int numberOf(Tenure tenure, @Nullable String version) {
        return tenure.numberOf(version);
    }

    /** 5.5, 6: the item of a refused renewal that is this tenure's no more: who loses one of several keys loses all. */
    StoreReply.@Nullable Refusal lostBy(Tenure tenure, List<String> keys, List<StoreReply.Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> numberOf(tenure, refusal.version()) == 0)
                .findFirst()
                .orElse(null);
    }

    /**
     * 5.5, 6: the newest attempt of this tenure that all of these items show, 0 if one shows anything else. Several items were
     * written together, so those that are not shown have it, too.
     */
    int newestShown(Tenure tenure, List<String> keys, List<StoreReply.Refusal> refusals) {
        int newest = 0;
        for (StoreReply.Refusal refusal : refusals) {
            int number = numberOf(tenure, refusal.version());
            if (number == 0) {
                return 0;
            }
            newest = Math.max(newest, number);
        }
        return newest;
    }

    /** 5.3, 6: whether the keys that did not refuse the release of all are released by themselves. */
    boolean releasesOthers() {
        return true;
    }

    /** 5.6: whether a lease that is lost may be released although its body still runs. */
    boolean releasesRunningBody() {
        return false;
    }

    /** 6: whose version a hold leaves behind: that of a tenure which nobody has. */
    UUID holdTenure(Tenure held, UUID fresh) {
        return fresh;
    }
}
