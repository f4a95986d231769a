package io.leasekit.engine;

import static io.leasekit.requests.BoundedClock.drift;
import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.observe.Observer;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.pause.PauseBoard;
import io.leasekit.pause.PauseOrder;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestRules;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply.Refusal;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity;
import io.leasekit.tenure.Validity.Confirmed;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All decisions on which the safety of the protocol rests, one method each, without state, grouped by the chapters of
 * {@code docs/protocol.md}:
 *
 * <ul>
 *   <li>4: whether an own lease is valid, what DynamoDB's time is, and whether the holder of another lease is dead
 *   <li>5: what a write may overwrite, its token and end, what its reply proves, and whether the key is paused
 *   <li>6: what a release leaves, for how long, and which slots a key has
 *   <li>8: which requests go first, and how long a renewal is awaited (5.7), so that renewals are in time
 *   <li>9: what a watch is shown
 * </ul>
 *
 * Other classes keep what these methods need: {@link BoundedClock} the time, {@link Observer} what replies have shown,
 * {@link Tenure} what was sent. They see only the interfaces of their packages, which this class implements. Most methods
 * look more careful than necessary, but a simpler form breaks in some schedule: {@code ProtocolMutantsTest} has these
 * forms, and {@code OverloadTest} those of 8. Thread-safe.
 */
class LeaseRules implements RequestRules, PauseOrder, Validity.Rules, Observer.Rules {

    /** An acquire attempt is never granted later than this after its sending, on any node (5.4). */
    static final long GRANT_DEADLINE = Requests.TIMEOUT;

    private static final int LEAST_IN_FLIGHT = 4;
    private static final int MOST_IN_FLIGHT = 32;
    private static final int MAX_HAND_OVERS = 16;
    private static final int FAILURES_BEFORE_PROBES = 16;
    private static final int TRIPS = 4;
    private static final long MIN_ATTEMPT = SECOND / 10;
    private static final long JUMP_MILLIS = 100;

    /** About 97 years: longer than any lease or hold that is written, and safe to add to a time in nanoseconds. */
    private static final long LONGEST_MILLIS = Long.MAX_VALUE / 3 / MILLI;

    // ---- 4.1 validity

    /** 4.1: a lease is valid until its end, unless a clock has jumped since the write that confirmed it. */
    @Override
    public final boolean isValid(Confirmed write, long now, BoundedClock clock) {
        return isKnown(write, clock) && !isOver(write, now, clock);
    }

    /** 4.1: a lease ends by either clock, whichever shows its end first. */
    @Override
    public boolean isOver(Confirmed write, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        return write.remaining(now) <= 0 || (time != null && time.earliest() >= write.expiry());
    }

    /** 4.1: after a jump of a clock, only a renewal shows whether the lease is valid. */
    boolean isKnown(Confirmed write, BoundedClock clock) {
        return write.epoch() == clock.epoch();
    }

    /** 4.1: a clock has jumped if the two clocks moved apart by more than the time of reading them explains. */
    @Override
    public boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /** 4.1: reads the monotonic clock, then the bounded clock for the expiry. The request is sent after both. */
    BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /** 4.1: the validity of a grant or renewal starts before its sending, never at its reply. */
    long validUntil(Tenure.Attempt attempt) {
        return attempt.sent() + attempt.claim() - drift(attempt.claim());
    }

    /**
     * 4.1: returns the claim of a write: the ttl, or more if the lease was promised for longer, but no more than the rest
     * until its end.
     *
     * @param heldFor the time since the acquire
     * @param promised how long after its acquire the lease must be valid at least
     */
    long claim(LeaseSpec spec, long heldFor, long promised) {
        long rest = Math.max(MILLI, covering(spec.end(promised) - heldFor));
        return Math.min(rest, Math.max(spec.ttl(), covering(promised - heldFor)));
    }

    /** Returns a claim that still covers this time after the drift of clocks. Observers wait for it. */
    private static long covering(long nanos) {
        return nanos + nanos / 500;
    }

    /**
     * 4.1: returns the time between the sendings of two writes, never more than it was. A monotonic clock that stopped
     * during a suspend shows less than DynamoDB's clock does, so after a jump the longer of both counts.
     */
    long elapsed(BoundedClock.Reading before, BoundedClock.Reading now) {
        long shown = now.sent() - before.sent();
        long surely = now.earliest() - before.latest() - (now.at() - now.sent());
        return now.epoch() == before.epoch() ? shown : Math.max(shown, surely);
    }

    // ---- 4.2 DynamoDB's time

    /** 4.2: DynamoDB's time is bounded by the intersection of replies that agree, else by the hull of all. */
    @Override
    public BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
        return intersection.earliest() <= intersection.latest() ? intersection : hull;
    }

    /** 4.2: an acquire needs a recent clock sample. */
    @Override
    public BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /** 4.2: the stored expiry is rounded up and never below the token, so item TTL removes no token too early. */
    long expiry(long latest, long durationNanos, long token) {
        return Math.max(-Math.floorDiv(-(latest + durationNanos), SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * 4.2, 7: returns the time from which item TTL may remove an item with records; {@code null}: it has none, so its end is
     * that time. Once a write of the tenure has named such a time, each later one does: the end that it wrote beside it would
     * count for them, too.
     */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long durationNanos, long token) {
        return keptLonger ? expiry(reading.latest(), durationNanos, token) : null;
    }

    /**
     * 4.2: if the date of a reply contradicts the clock that its write was made with, the reply confirms the lease only up
     * to the stored expiry, by the new clock. If a clock has jumped, the lease is renewed before it counts as valid.
     */
    long validUntilExpiry(Tenure.Attempt attempt, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        if (time == null) {
            return attempt.sent() + attempt.claim();
        }
        long left = attempt.expiry() * SECOND - time.latest();
        return now + left - drift(left);
    }

    /** 4.2: a lease with an expiry below this has surely ended. At least two replies must agree on the time. */
    @Nullable
    Long freeBelow(BoundedClock.Reading reading) {
        return reading.agreed() ? Math.floorDiv(reading.earliest(), SECOND) : null;
    }

    /** 4.2: a lease has surely expired at this time. Without a time it has not. */
    final boolean isExpired(LeaseItem item, BoundedClock.@Nullable Reading time) {
        Long freeBelow = time == null ? null : freeBelow(time);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    // ---- 4.3 observation

    /** 4.3: an observation starts after the reply that first showed the version. */
    @Override
    public long observedSince(Requests.Reply reply) {
        return reply.at();
    }

    /** 4.3: a version is unchanged if a later reply shows it again with the same ttl. Each renewal changes it. */
    @Override
    public boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now) {
        return Objects.equals(version, now.version()) && Objects.equals(ttlMillis, observedMillis(now));
    }

    /** 4.3: an item is observed for its ttl, if that is usable and the item has an expiry. */
    @Override
    public final @Nullable Long observedMillis(LeaseItem item) {
        Long millis = item.durationMillis();
        boolean usable = millis != null && millis >= 0 && millis <= LONGEST_MILLIS && item.expiry() != null;
        return usable ? millis : null;
    }

    /** 4.3: returns how long the version must still be seen unchanged until its holder is dead; 0 or less: it is. */
    @Override
    public long untilDead(Observation last, long now, Observer seen) {
        Long millis = observedMillis(last.item());
        long ttl = millis == null ? seen.unknownTtl() : millis * MILLI;
        return ttl + drift(ttl) - (now - seen.unchangedSince(last));
    }

    /** 4.3: a version is dead if this process has ended its tenure, or if it was seen unchanged for its ttl. */
    @Override
    public final boolean isDead(Observation last, long now, Observer seen) {
        String version = last.item().version();
        return version != null && (seen.isEnded(version) || untilDead(last, now, seen) <= 0);
    }

    // ---- 5 writes

    /**
     * 5.1: a lease may be taken if its item has no version, or a dead one, or if it has expired; or if it shows an
     * earlier attempt of the same acquire, which only {@link AcquireLoop} knows.
     */
    @Override
    public final boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock) {
        return last == null
                || last.item().version() == null
                || isDead(last, now, seen)
                || isExpired(last.item(), clock.readingSince(now));
    }

    /** 5.1: an acquire overwrites the earlier attempts of its own tenure. */
    @Nullable
    VersionRange ownBeforeAcquire(Tenure tenure) {
        return tenure.last() == 0 ? null : tenure.versions(1, tenure.last());
    }

    /** 5.2: a renewal overwrites any write of its tenure up to the version sent just before. */
    VersionRange ownBeforeRenew(Tenure tenure) {
        return tenure.versions(1, tenure.last());
    }

    /** 5.2: no renewal moves the end of a lease back, even if the clock has changed. */
    long renewedExpiry(BoundedClock.Reading reading, long claim, Tenure tenure) {
        return Math.max(expiry(reading.latest(), claim, tenure.largestToken()), tenure.largestExpiry());
    }

    /** 5.3: a lease that is over is lost, even if it is released before its timer has run. Another owner may hold it. */
    boolean isLostAtRelease(Confirmed last, long now, BoundedClock clock) {
        return isOver(last, now, clock);
    }

    /** 5.3: a release keeps an item to which a write may still be applied, and one whose records must not be forgotten. */
    boolean mayDelete(boolean unanswered, boolean mayHaveRecords) {
        return !unanswered && !mayHaveRecords;
    }

    /** 5.3, 5.4: the item of a token is kept until each later token surely exceeds it. */
    boolean mayBeForgotten(long token, BoundedClock.Reading reading) {
        return token < reading.earliest() / MILLI;
    }

    /** 5.4: a token exceeds any that an attempt of another node can still get. */
    long token(BoundedClock.Reading reading, long largestKnown) {
        return Math.max((reading.latest() + GRANT_DEADLINE) / MILLI, largestKnown + 1);
    }

    /** 5.4, 5.5: returns the monotonic time until which an attempt counts as a grant and its reply is awaited. */
    long grantedUntil(BoundedClock.Reading reading) {
        return reading.sent() + GRANT_DEADLINE;
    }

    /** 5.5: an attempt whose reply came by then may count as a grant. */
    final boolean isInTime(Tenure.Attempt attempt, long received) {
        return received - grantedUntil(attempt.reading()) <= 0;
    }

    /** 5.5: a write is a grant in time. After a jump the monotonic clock may have stopped, so the time is not known. */
    boolean isGrant(Tenure.Attempt written, long received, BoundedClock clock) {
        return written.reading().epoch() == clock.epoch() && isInTime(written, received);
    }

    /**
     * 5.5: returns the number of the attempt that wrote this version; 0 if another tenure did, even one of this
     * process.
     */
    int numberOf(Tenure tenure, @Nullable String version) {
        return version != null && tenure.id().equals(Tenure.tenureOf(version)) ? Tenure.numberIn(version) : 0;
    }

    /**
     * 5.5, 6: returns the first refusal that does not show this tenure; {@code null}: none. A lease that loses one of
     * several keys loses all.
     */
    @Nullable
    Refusal lostBy(Tenure tenure, List<Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> numberOf(tenure, refusal.version()) == 0)
                .findFirst()
                .orElse(null);
    }

    /**
     * 5.5, 6: returns the newest attempt of this tenure that these items show; 0 if one of them shows anything else.
     * Items are written together, so those that did not refuse show it as well. This confirms the attempt that wrote
     * them, not the one that they refused.
     */
    int newestShown(Tenure tenure, List<Refusal> refusals) {
        int newest = 0;
        for (Refusal refusal : refusals) {
            int number = numberOf(tenure, refusal.version());
            if (number == 0) {
                return 0;
            }
            newest = Math.max(newest, number);
        }
        return newest;
    }

    /** 5.11: no acquire rests on pauses that were read longer ago. */
    @Override
    public boolean isOld(long ageNanos) {
        return ageNanos >= PauseBoard.MAX_AGE;
    }

    /** 5.11: a pause lasts until it has surely ended. */
    @Override
    public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
        return now == null || now.earliest() < untilNanos;
    }

    // ---- 6 callers, holds and permits

    /**
     * 5.3, 6.5: an acquire of its process may overwrite what a release ends before the release is applied, but neither
     * during its hold nor if it writes records. The acquire would replace the version, so the release would be refused, and
     * its records would never be written.
     */
    boolean mayBeOverwritten(boolean holds, boolean writesRecords) {
        return !holds && !writesRecords;
    }

    /** 6.6: the slots of a key are numbered from 0, as many as its permits. */
    IntStream slots(int permits) {
        return IntStream.range(0, permits);
    }

    /**
     * 6.5: a hold is a schedule, so its expiry counts from the earliest time. Like any expiry, it is never below its
     * token.
     */
    long holdExpiry(long earliest, long holdNanos, long token) {
        return Math.max(Math.floorDiv(earliest + holdNanos, SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * 6.5: returns whether a release is delayed by this time: the item cannot express the end of the hold, because it
     * lies below the token, and the lease still keeps others away until then.
     */
    boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
        boolean belowToken = Math.floorDiv(earliest + holdNanos, SECOND) < -Math.floorDiv(-token, 1_000L);
        return holdNanos > 0 && belowToken && holdNanos <= remaining;
    }

    /** 6.3: after this many hand-overs while another process waits, the lease is released for others. */
    boolean endsHandOvers(int handOvers) {
        return handOvers >= MAX_HAND_OVERS;
    }

    // ---- 8 load

    /** 8: while renewals are late, no new lease is asked for. A hand-over within this process adds none. */
    boolean mayAsk(boolean isHandOver, boolean renewalsAreLate) {
        return isHandOver || !renewalsAreLate;
    }

    /**
     * 8: the bound of requests in flight after a reply. It grows by one a round while requests wait or fill it, and is halved by
     * congestion.
     */
    @Override
    public double boundAfter(double bound, boolean congested) {
        return congested ? Math.max(LEAST_IN_FLIGHT, bound / 2) : Math.min(MOST_IN_FLIGHT, bound + 1 / bound);
    }

    /** 8: a reply that takes this long may be a sign of congestion, well before the deadline of an attempt. */
    @Override
    public boolean isSlow(long tookNanos, long usualNanos) {
        return tookNanos >= Math.max(SECOND / 2, 2 * usualNanos);
    }

    /** 8: clearly fewer writes in flight make replies quicker in a full table, and change nothing on a slow path. */
    @Override
    public boolean isQuicker(long tookNanos, long beforeNanos) {
        return tookNanos < beforeNanos / 4 * 3;
    }

    /**
     * 5.7: the timeout of a renewal lets several attempts fit into the remaining validity, and none outlives it. A slow
     * table gets the time that it needs at present, because an attempt given up too early is sent again.
     *
     * @param tripNanos the average duration of requests
     */
    long renewalTimeout(long leftNanos, long tripNanos) {
        long third = Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, leftNanos / 3));
        long needed = Math.min(Requests.TIMEOUT, TRIPS * tripNanos);
        return Math.max(1, Math.min(leftNanos, Math.max(third, needed)));
    }

    /** 8: after so many failures in a row, more requests would not help the table. */
    @Override
    public boolean areProbes(int failedInARow) {
        return failedInARow >= FAILURES_BEFORE_PROBES;
    }

    /** 8: the reply to this renewal would come after the end, so it waits until there are no others. */
    @Override
    public boolean isTooLate(long leftNanos, long tripNanos) {
        return leftNanos <= tripNanos;
    }

    /** 8: in the last third of the ttl, a renewal goes before all others and is always tried again. */
    @Override
    public boolean isUrgent(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 3;
    }

    /** 8: a renewal that waits in the last sixth of the ttl shows that a new lease might not be renewed in time. */
    @Override
    public boolean isLate(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 6;
    }

    /**
     * 8: a failed renewal is tried again in a batch. It is sent alone if it has failed twice, is urgent, and few others
     * wait: it may hang and would hold them up.
     */
    boolean isRetriedAlone(int failures, boolean urgent, boolean fewWait) {
        return failures > 1 && urgent && fewWait;
    }

    // ---- 9 watches

    /**
     * 9: a look shows a lease that is over if it was over before the look was sent: it may have been renewed since.
     *
     * @param look the time before its sending; {@code null}: unknown
     */
    @Override
    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen) {
        return last == null
                || last.item().version() == null
                || (look != null && (isExpired(last.item(), look) || untilDead(last, look.sent(), seen) <= 0));
    }

    /** 9: the states of a key are ordered by token, and for one token held, kept, free. None goes back. */
    boolean mayFollow(State shown, State seen) {
        long before = token(shown);
        long now = token(seen);
        return before == now ? rank(shown) <= rank(seen) : before < now;
    }

    private static int rank(State state) {
        return state instanceof Held ? 0 : state instanceof Kept ? 1 : 2;
    }

    /** Returns the token of a state; 0 if it has none. */
    static long token(State state) {
        if (state instanceof Held held) {
            return held.fencingToken();
        }
        if (state instanceof Kept kept) {
            return kept.fencingToken();
        }
        return state instanceof Free free ? free.fencingToken() : 0;
    }
}
