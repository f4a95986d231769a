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
 * All decisions on which the safety of the protocol depends. Each decision is one stateless method. The methods are
 * grouped by the chapters of {@code docs/protocol.md}:
 *
 * <ul>
 *   <li>4: whether a lease of this process is valid, which time DynamoDB has, and whether the holder of another lease
 *       is dead
 *   <li>5: which items a write may overwrite, the token and expiry of the write, what the reply proves, and whether the
 *       key is paused
 *   <li>6: whether a release may be delayed or overwritten, when a hold ends, when hand-overs end, and which slots a
 *       key has
 *   <li>8: the limit and the order of requests, and the timeout of a renewal (5.7); these rules keep renewals in time
 *   <li>9: the states that a watch shows
 * </ul>
 *
 * <p>Other classes store the data that these methods need: {@link BoundedClock} stores the bounds of DynamoDB's time,
 * {@link Observer} the items in replies, and {@link Tenure} the writes that were sent. These classes depend only on
 * interfaces of their own packages, which this class implements. Most methods look more careful than necessary, but
 * each simpler form fails in some schedule. {@code ProtocolMutantsTest} contains such simpler forms and shows that they
 * fail; {@code OverloadTest} does so for chapter 8. Thread-safe.
 */
class LeaseRules implements RequestRules, PauseOrder, Validity.Rules, Observer.Rules {

    /** The longest time from sending an acquire attempt to its grant, on any node (5.4). */
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

    /** 4.1: a lease is valid until its end, unless a clock has jumped since the write that confirmed the lease. */
    @Override
    public final boolean isValid(Confirmed write, long now, BoundedClock clock) {
        return isKnown(write, clock) && !isOver(write, now, clock);
    }

    /** 4.1: a lease has ended as soon as the monotonic clock or the bounded clock shows the end. */
    @Override
    public boolean isOver(Confirmed write, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        return write.remaining(now) <= 0 || (time != null && time.earliest() >= write.expiry());
    }

    /**
     * 4.1: returns whether no clock has jumped since this write. After a jump, only a renewal shows whether the lease
     * is valid.
     */
    boolean isKnown(Confirmed write, BoundedClock clock) {
        return write.epoch() == clock.epoch();
    }

    /**
     * 4.1: a clock has jumped if the monotonic clock and the wall clock have moved apart by more than the time that it
     * takes to read both.
     */
    @Override
    public boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /** 4.1: reads the monotonic clock first, then the bounded clock for the expiry. The request is sent after both. */
    BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /** 4.1: the validity of a grant or renewal starts before the request is sent, not when the reply arrives. */
    long validUntil(Tenure.Attempt attempt) {
        return attempt.sent() + attempt.claim() - drift(attempt.claim());
    }

    /**
     * 4.1: returns the claim of a write, that is, the time for which the write claims the lease. The claim is the ttl,
     * or longer if a longer validity was promised, but never exceeds the time until the end of the lease.
     *
     * @param heldFor the time since the acquire
     * @param promised the promised validity of the lease, counted from the acquire
     */
    long claim(LeaseSpec spec, long heldFor, long promised) {
        long rest = Math.max(MILLI, covering(spec.end(promised) - heldFor));
        return Math.min(rest, Math.max(spec.ttl(), covering(promised - heldFor)));
    }

    /**
     * Returns a claim that is long enough for the lease to be valid for this time, even if the clock drifts. Observers
     * wait for the whole claim.
     */
    private static long covering(long nanos) {
        return nanos + nanos / 500;
    }

    /**
     * 4.1: returns the time between the sending of two writes. The result never exceeds the real time. A monotonic
     * clock that stopped during a suspend shows less time than DynamoDB's clock. So after a jump, the longer of the two
     * times counts.
     */
    long elapsed(BoundedClock.Reading before, BoundedClock.Reading now) {
        long shown = now.sent() - before.sent();
        long surely = now.earliest() - before.latest() - (now.at() - now.sent());
        return now.epoch() == before.epoch() ? shown : Math.max(shown, surely);
    }

    // ---- 4.2 DynamoDB's time

    /**
     * 4.2: each reply shows an interval that contains DynamoDB's time. While the replies agree, the intersection of
     * their intervals is used, and otherwise the smallest interval that covers all of them.
     */
    @Override
    public BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
        return intersection.earliest() <= intersection.latest() ? intersection : hull;
    }

    /** 4.2: returns the time bounds for an acquire attempt; {@code null}: a recent clock sample is needed first. */
    @Override
    public BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /**
     * 4.2: the stored expiry is rounded up and never below the token, so DynamoDB's TTL never removes a token too
     * early.
     */
    long expiry(long latest, long durationNanos, long token) {
        return Math.max(-Math.floorDiv(-(latest + durationNanos), SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * 4.2: returns the monotonic time until which a reply confirms the lease, if the date of the reply contradicts the
     * time bounds of the write. The reply then confirms the lease only up to the stored expiry, measured with the new
     * time bounds. While no time bounds are known, because a clock has jumped, returns the end of the claim: the lease
     * counts as valid only after another renewal.
     */
    long validUntilExpiry(Tenure.Attempt attempt, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        if (time == null) {
            return attempt.sent() + attempt.claim();
        }
        long left = attempt.expiry() * SECOND - time.latest();
        return now + left - drift(left);
    }

    /**
     * 4.2: returns a time in epoch seconds: a lease with an earlier expiry has surely ended; {@code null}: unknown,
     * because no two replies agree on the time.
     */
    @Nullable
    Long freeBelow(BoundedClock.Reading reading) {
        return reading.agreed() ? Math.floorDiv(reading.earliest(), SECOND) : null;
    }

    /** 4.2: returns whether a lease has surely expired at this time; false if the time is unknown. */
    final boolean isExpired(LeaseItem item, BoundedClock.@Nullable Reading time) {
        Long freeBelow = time == null ? null : freeBelow(time);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    // ---- 4.3 observation

    /** 4.3: an observation starts when the reply that first showed the version arrived. */
    @Override
    public long observedSince(Requests.Reply reply) {
        return reply.at();
    }

    /**
     * 4.3: a version is unchanged if a later reply shows the same version and the same ttl. Each renewal changes the
     * version.
     */
    @Override
    public boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now) {
        return Objects.equals(version, now.version()) && Objects.equals(ttlMillis, observedMillis(now));
    }

    /**
     * 4.3: returns the ttl of the item, in milliseconds, which is the time for which the item must be observed. Returns
     * {@code null} if the item has no expiry, or if its ttl is missing, negative or too large to compute with.
     */
    @Override
    public final @Nullable Long observedMillis(LeaseItem item) {
        Long millis = item.durationMillis();
        boolean usable = millis != null && millis >= 0 && millis <= LONGEST_MILLIS && item.expiry() != null;
        return usable ? millis : null;
    }

    /**
     * 4.3: returns the time for which the version must still remain unchanged until its holder counts as dead; zero or
     * less: the holder counts as dead now.
     */
    @Override
    public long untilDead(Observation last, long now, Observer seen) {
        Long millis = observedMillis(last.item());
        long ttl = millis == null ? seen.unknownTtl() : millis * MILLI;
        return ttl + drift(ttl) - (now - seen.unchangedSince(last));
    }

    /**
     * 4.3: a version is dead if this process has ended its tenure, or if the version was seen unchanged for the ttl of
     * the item.
     */
    @Override
    public final boolean isDead(Observation last, long now, Observer seen) {
        String version = last.item().version();
        return version != null && (seen.isEnded(version) || untilDead(last, now, seen) <= 0);
    }

    // ---- 5 writes

    /**
     * 5.1: a lease may be taken if it has expired, or if its item is missing, has no version or has a dead version. The
     * lease may also be taken if the item shows an earlier attempt of the same acquire; {@link SeenItems} checks this.
     */
    @Override
    public final boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock) {
        return last == null
                || last.item().version() == null
                || isDead(last, now, seen)
                || isExpired(last.item(), clock.readingSince(now));
    }

    /** 5.1: an acquire may overwrite earlier attempts of its own tenure. */
    @Nullable
    VersionRange ownBeforeAcquire(Tenure tenure) {
        return tenure.last() == 0 ? null : tenure.versions(1, tenure.last());
    }

    /** 5.2: a renewal may overwrite all writes of its tenure that were sent before the renewal. */
    VersionRange ownBeforeRenew(Tenure tenure) {
        return tenure.versions(1, tenure.last());
    }

    /** 5.2: no renewal moves the end of a lease back, even if the clock has changed. */
    long renewedExpiry(BoundedClock.Reading reading, long claim, Tenure tenure) {
        return Math.max(expiry(reading.latest(), claim, tenure.largestToken()), tenure.largestExpiry());
    }

    /**
     * 5.3: a lease that has ended counts as lost at its release, even if no timer has noticed the end before. Another
     * owner may already hold the lease.
     */
    boolean isLostAtRelease(Confirmed last, long now, BoundedClock clock) {
        return isOver(last, now, clock);
    }

    /**
     * 5.3: a release must not delete an item that may have records, or to which an earlier write may still be applied.
     */
    boolean mayDelete(boolean unanswered, boolean mayHaveRecords) {
        return !unanswered && !mayHaveRecords;
    }

    /** 5.3, 5.4: an item may be deleted only if every later token surely exceeds the token in the item. */
    boolean mayBeForgotten(long token, BoundedClock.Reading reading) {
        return token < reading.earliest() / MILLI;
    }

    /** 5.4: a token exceeds every token that an attempt of another node can still get. */
    long token(BoundedClock.Reading reading, long largestKnown) {
        return Math.max((reading.latest() + GRANT_DEADLINE) / MILLI, largestKnown + 1);
    }

    /**
     * 5.4, 5.5: returns the monotonic time until which the reply must arrive for the attempt to count as a grant. The
     * acquire waits for the reply until this time.
     */
    long grantedUntil(BoundedClock.Reading reading) {
        return reading.sent() + GRANT_DEADLINE;
    }

    /** 5.5: an attempt can count as a grant only if its reply came before the deadline. */
    final boolean isInTime(Tenure.Attempt attempt, long received) {
        return received - grantedUntil(attempt.reading()) <= 0;
    }

    /**
     * 5.5: returns whether a write counts as a grant because its reply came in time. If a clock has jumped since the
     * write, the monotonic clock may have stopped in between. The elapsed time is then unknown, and the write is no
     * grant.
     */
    boolean isGrant(Tenure.Attempt written, long received, BoundedClock clock) {
        return written.reading().epoch() == clock.epoch() && isInTime(written, received);
    }

    /**
     * 5.5: returns the number of the attempt that wrote this version; 0: another tenure wrote the version, possibly
     * another tenure of this process.
     */
    int numberOf(Tenure tenure, @Nullable String version) {
        return version != null && tenure.id().equals(Tenure.tenureOf(version)) ? Tenure.numberIn(version) : 0;
    }

    /**
     * 5.5, 6: returns the first refusal whose item does not show this tenure; {@code null}: none. A lease that loses
     * one of its keys loses all of them.
     */
    @Nullable
    Refusal lostBy(Tenure tenure, List<Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> numberOf(tenure, refusal.version()) == 0)
                .findFirst()
                .orElse(null);
    }

    /**
     * 5.5, 6: returns the number of the newest attempt of this tenure that the refusing items show; 0: one of these
     * items does not show this tenure. All items of a lease are written together, so the items that did not refuse show
     * the same attempt. The refusals confirm the attempt that the items show, not the attempt that they refused.
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

    /** 5.11: returns whether pauses that were read this long ago are too old. No acquire relies on such pauses. */
    @Override
    public boolean isOld(long ageNanos) {
        return ageNanos >= PauseBoard.MAX_AGE;
    }

    /** 5.11: a key counts as paused until the pause has surely ended. */
    @Override
    public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
        return now == null || now.earliest() < untilNanos;
    }

    // ---- 6 callers, holds and permits

    /**
     * 5.3, 6.5: returns whether an acquire of the same process may overwrite a lease before its release is applied. An
     * acquire must not do so while the release holds the key for a while, or if the release writes records. The acquire
     * would replace the version in the item, so the release would be refused and its records would never be written.
     */
    boolean mayBeOverwritten(boolean holds, boolean writesRecords) {
        return !holds && !writesRecords;
    }

    /** 6.6: the slots of a key are numbered from 0; there are as many slots as permits. */
    IntStream slots(int permits) {
        return IntStream.range(0, permits);
    }

    /**
     * 6.5: returns the expiry of a hold. No work runs during a hold, so the expiry counts from the earliest possible
     * time. Like every expiry, the expiry of a hold is never below the token in the item.
     */
    long holdExpiry(long earliest, long holdNanos, long token) {
        return Math.max(Math.floorDiv(earliest + holdNanos, SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * 6.5: returns whether a hold of this length is kept by delaying the release instead of being written to the item.
     * This is so if the item cannot express the end of the hold, because an expiry is never below the token, and the
     * lease itself lasts at least as long as the hold.
     */
    boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
        boolean belowToken = Math.floorDiv(earliest + holdNanos, SECOND) < -Math.floorDiv(-token, 1_000L);
        return holdNanos > 0 && belowToken && holdNanos <= remaining;
    }

    /**
     * 6.3: returns whether the lease must be released for other processes, because this process has handed it over the
     * maximum number of times while another process waited.
     */
    boolean endsHandOvers(int handOvers) {
        return handOvers >= MAX_HAND_OVERS;
    }

    // ---- 8 load

    /** 8: while renewals are late, no new lease is requested. A hand-over within this process adds no load. */
    boolean mayAsk(boolean isHandOver, boolean renewalsAreLate) {
        return isHandOver || !renewalsAreLate;
    }

    /**
     * 8: returns the new limit of requests in flight after a reply. While the limit is used up or requests wait, the
     * limit grows by one for each full round of replies. Congestion halves the limit, but not below 4.
     */
    @Override
    public double boundAfter(double bound, boolean congested) {
        return congested ? Math.max(LEAST_IN_FLIGHT, bound / 2) : Math.min(MOST_IN_FLIGHT, bound + 1 / bound);
    }

    /**
     * 8: returns whether a reply is so slow that the table may be congested. The threshold is well below the deadline
     * of an attempt.
     */
    @Override
    public boolean isSlow(long tookNanos, long usualNanos) {
        return tookNanos >= Math.max(SECOND / 2, 2 * usualNanos);
    }

    /**
     * 8: returns whether replies have become clearly quicker since the limit of writes in flight was lowered. Replies
     * become quicker if the table was at its capacity, but not if the network path is slow.
     */
    @Override
    public boolean isQuicker(long tookNanos, long beforeNanos) {
        return tookNanos < beforeNanos / 4 * 3;
    }

    /**
     * 5.7: returns the timeout of a renewal. The timeout is short enough for several attempts within the remaining
     * validity, and never exceeds that validity. While requests are slow, the timeout is longer, because an attempt
     * that is given up too early must be sent again.
     *
     * @param tripNanos the average duration of requests
     */
    long renewalTimeout(long leftNanos, long tripNanos) {
        long third = Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, leftNanos / 3));
        long needed = Math.min(Requests.TIMEOUT, TRIPS * tripNanos);
        return Math.max(1, Math.min(leftNanos, Math.max(third, needed)));
    }

    /**
     * 8: returns whether only probes are sent, because so many requests have failed in a row that more requests would
     * not help.
     */
    @Override
    public boolean areProbes(int failedInARow) {
        return failedInARow >= FAILURES_BEFORE_PROBES;
    }

    /**
     * 8: returns whether the reply to a renewal would come after the end of the lease. All other renewals are sent
     * before such a renewal.
     */
    @Override
    public boolean isTooLate(long leftNanos, long tripNanos) {
        return leftNanos <= tripNanos;
    }

    /** 8: in the last third of the ttl, a renewal is sent before all other requests and is always retried. */
    @Override
    public boolean isUrgent(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 3;
    }

    /** 8: if a renewal waits in the last sixth of the ttl, a new lease might not be renewed in time. */
    @Override
    public boolean isLate(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 6;
    }

    /**
     * 8: returns whether a failed renewal is retried alone instead of in a batch. A renewal is retried alone if it has
     * failed twice, is urgent, and few other renewals wait. Such a renewal might hang and hold up a batch.
     */
    boolean isRetriedAlone(int failures, boolean urgent, boolean fewWait) {
        return failures > 1 && urgent && fewWait;
    }

    // ---- 9 watches

    /**
     * 9: returns whether the lease had ended before the read was sent. A lease that ended after the read was sent may
     * have been renewed before the reply arrived.
     *
     * @param look the time bounds before the read was sent; {@code null}: unknown
     */
    @Override
    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen) {
        return last == null
                || last.item().version() == null
                || (look != null && (isExpired(last.item(), look) || untilDead(last, look.sent(), seen) <= 0));
    }

    /**
     * 9: returns whether a watch may report the state {@code seen} after {@code shown}. States are ordered by token;
     * for the same token, the order is held, kept, free. Reported states never go back in this order.
     */
    boolean mayFollow(State shown, State seen) {
        long before = token(shown);
        long now = token(seen);
        return before == now ? rank(shown) <= rank(seen) : before < now;
    }

    private static int rank(State state) {
        return state instanceof Held ? 0 : state instanceof Kept ? 1 : 2;
    }

    /** Returns the token of a state; 0 if the state has no token. */
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
