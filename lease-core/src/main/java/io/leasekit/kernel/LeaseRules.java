package io.leasekit.kernel;

import static io.leasekit.requests.BoundedClock.drift;
import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Internal;
import io.leasekit.observe.Observer;
import io.leasekit.observe.Observer.Observation;
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
import org.jspecify.annotations.Nullable;

/**
 * Makes all decisions on which the safety of the protocol depends. Each decision is one stateless method. The methods
 * are in the order of the chapters of {@code docs/protocol.md}:
 *
 * <ul>
 *   <li>chapter 4: validity of leases, bounds of DynamoDB's time, and detection of dead holders
 *   <li>chapter 5: overwritable items, tokens and expiries of writes, and conclusions from replies
 *   <li>chapter 6: delays of releases, holds, and hand-overs between callers of one process
 *   <li>chapter 8 and section 5.7: limit of requests in flight, order of requests, and timeouts of renewals
 *   <li>chapter 9: the end of a lease, as a watch sees it
 * </ul>
 *
 * <p>{@code LeaseRules} has no state. {@link BoundedClock} stores the bounds of DynamoDB's time, {@link Observer}
 * stores the items that replies have shown, and {@link Tenure} stores the writes of an acquire and its lease. A package
 * that needs a decision declares an interface for it, which {@code LeaseRules} implements. Methods may look too
 * careful, but each simpler version fails in some order of events: see {@code ProtocolMutantsTest} and {@code
 * OverloadTest}. Thread-safe.
 */
@Internal
public class LeaseRules implements RequestRules, Validity.Rules, Observer.Rules {

    /**
     * An acquire attempt counts as a grant only if its reply arrives within this time after sending (protocol 5.4). All
     * nodes use the same value.
     */
    static final long GRANT_DEADLINE = Requests.TIMEOUT;

    private static final int LEAST_IN_FLIGHT = 4;
    private static final int MOST_IN_FLIGHT = 32;
    private static final int MAX_HAND_OVERS = 16;
    private static final int FAILURES_BEFORE_PROBES = 16;
    private static final int TRIPS = 4;
    private static final long MIN_ATTEMPT = SECOND / 10;
    private static final long JUMP_MILLIS = 100;

    /**
     * About 97 years: longer than any lease, and small enough to be added to a time in nanoseconds without overflow.
     */
    private static final long LONGEST_MILLIS = Long.MAX_VALUE / 3 / MILLI;

    // ---- 4.1 validity

    /**
     * Protocol 4.1: a lease is valid until its end, unless a clock has jumped since the last confirmed write was sent.
     */
    @Override
    public final boolean isValid(Confirmed write, long now, BoundedClock clock) {
        return isKnown(write, clock) && !isOver(write, now, clock);
    }

    /**
     * Protocol 4.1: a lease has ended once the monotonic clock reaches its end, or the earliest possible DynamoDB time
     * reaches its expiry.
     */
    @Override
    public boolean isOver(Confirmed write, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        return write.remaining(now) <= 0 || (time != null && time.earliest() >= write.expiry());
    }

    /**
     * Protocol 4.1: returns whether no clock has jumped since this write. After a clock jump, only another renewal can
     * show that the lease is still valid.
     */
    public boolean isKnown(Confirmed write, BoundedClock clock) {
        return write.epoch() == clock.epoch();
    }

    /**
     * Protocol 4.1: a clock has jumped if the wall clock and the monotonic clock have moved apart by more than 100 ms
     * since the last check.
     */
    @Override
    public boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /**
     * Protocol 4.1: reads the monotonic clock first, and then the bounds of DynamoDB's time. The reading determines the
     * validity and the expiry of the next write.
     */
    public BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /**
     * Protocol 4.1: the validity of a grant or renewal counts from a clock reading before the request was sent, not
     * from the arrival of the reply.
     */
    public long validUntil(Tenure.Attempt attempt) {
        return attempt.sent() + attempt.claim() - drift(attempt.claim());
    }

    /**
     * Protocol 4.1: returns the claim of a write: the time for which the write requests the lease. The claim is the
     * ttl, or longer if the caller was promised a longer validity. The claim never reaches beyond the latest possible
     * end of the lease.
     *
     * @param heldFor the time from the sending of the acquire to the sending of this write
     * @param promised the minimum validity that the caller was promised, counted from the acquire
     */
    public long claim(LeaseSpec spec, long heldFor, long promised) {
        long rest = Math.max(MILLI, covering(spec.end(promised) - heldFor));
        return Math.min(rest, Math.max(spec.ttl(), covering(promised - heldFor)));
    }

    /** Returns a claim that keeps the lease valid for at least {@code nanos}, even if the clock drifts. */
    private static long covering(long nanos) {
        return nanos + nanos / 500;
    }

    /**
     * Protocol 4.1: returns the minimum time between the sending of two writes. After a clock jump, the monotonic clock
     * may show too little, because it can stop while the machine is suspended. After a clock jump, returns the longer
     * of two times: the monotonic time, and the minimum time according to DynamoDB's clock.
     */
    public long elapsed(BoundedClock.Reading before, BoundedClock.Reading now) {
        long shown = now.sent() - before.sent();
        long surely = now.earliest() - before.latest() - (now.at() - now.sent());
        return now.epoch() == before.epoch() ? shown : Math.max(shown, surely);
    }

    // ---- 4.2 DynamoDB's time

    /**
     * Protocol 4.2: combines the intervals to which replies limit DynamoDB's time. The result is the intersection of
     * all intervals, or their hull if the intersection is empty.
     */
    @Override
    public BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
        return intersection.earliest() <= intersection.latest() ? intersection : hull;
    }

    /**
     * Protocol 4.2: returns the clock reading for an acquire attempt. Returns {@code null} if no reply of the last ten
     * minutes has shown DynamoDB's time. Then no attempt may be sent.
     */
    @Override
    public BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /**
     * Protocol 4.2: returns the expiry that a write stores, rounded up to seconds. The expiry is never before the time
     * in the token, so that item TTL removes no token that is still needed.
     */
    public long expiry(long latest, long durationNanos, long token) {
        return Math.max(-Math.floorDiv(-(latest + durationNanos), SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * Protocol 4.2: returns the monotonic end of a lease if a reply contradicts the clock reading of its write. The
     * lease then ends at its stored expiry, according to the new bounds of DynamoDB's time. If a clock jump has made
     * DynamoDB's time unknown, returns the end of the claim. Another renewal must then confirm the lease anyway.
     */
    public long validUntilExpiry(Tenure.Attempt attempt, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        if (time == null) {
            return attempt.sent() + attempt.claim();
        }
        long left = attempt.expiry() * SECOND - time.latest();
        return now + left - drift(left);
    }

    /**
     * Protocol 4.2: returns a limit in epoch seconds: a lease with an expiry below this limit has surely ended. Returns
     * {@code null} if no two replies agree on DynamoDB's time.
     */
    @Nullable
    public Long freeBelow(BoundedClock.Reading reading) {
        return reading.agreed() ? Math.floorDiv(reading.earliest(), SECOND) : null;
    }

    /**
     * Protocol 4.2: returns whether the lease in the item has surely expired at this clock reading; false without a
     * reading.
     */
    public final boolean isExpired(LeaseItem item, BoundedClock.@Nullable Reading time) {
        Long freeBelow = time == null ? null : freeBelow(time);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    // ---- 4.3 observation

    /** Protocol 4.3: a version counts as observed from the arrival of the first reply that shows it. */
    @Override
    public long observedSince(Requests.Reply reply) {
        return reply.at();
    }

    /**
     * Protocol 4.3: returns whether an item shows the same version and the same ttl as an earlier reply. Each renewal
     * changes the version.
     */
    @Override
    public boolean isUnchanged(@Nullable String version, @Nullable Long ttlMillis, LeaseItem now) {
        return Objects.equals(version, now.version()) && Objects.equals(ttlMillis, observedMillis(now));
    }

    /**
     * Protocol 4.3: returns the ttl in the item, in milliseconds: if the item stays unchanged for this time, its holder
     * counts as dead. Returns {@code null} if the item has no expiry, or if its ttl is missing, negative or too large.
     */
    @Override
    public final @Nullable Long observedMillis(LeaseItem item) {
        Long millis = item.durationMillis();
        boolean usable = millis != null && millis >= 0 && millis <= LONGEST_MILLIS && item.expiry() != null;
        return usable ? millis : null;
    }

    /**
     * Protocol 4.3: returns the time after which the holder counts as dead if the version stays unchanged. Zero or less
     * means that the holder already counts as dead.
     */
    @Override
    public long untilDead(Observation last, long now, Observer seen) {
        Long millis = observedMillis(last.item());
        long ttl = millis == null ? seen.unknownTtl() : millis * MILLI;
        return ttl + drift(ttl) - (now - seen.unchangedSince(last));
    }

    /**
     * Protocol 4.3: a holder is dead if replies have shown its version unchanged for the ttl in the item. A holder in
     * this process is dead as soon as its acquire or lease has ended.
     */
    @Override
    public final boolean isDead(Observation last, long now, Observer seen) {
        String version = last.item().version();
        return version != null && (seen.isEnded(version) || untilDead(last, now, seen) <= 0);
    }

    // ---- 5 writes

    /**
     * Protocol 5.1: a key may be acquired if its item is missing or has no version, if its lease has expired, or if its
     * holder is dead. {@link SeenItems} also allows an acquire to overwrite its own earlier attempts.
     */
    @Override
    public final boolean mayBeTaken(@Nullable Observation last, long now, Observer seen, BoundedClock clock) {
        return last == null
                || last.item().version() == null
                || isDead(last, now, seen)
                || isExpired(last.item(), clock.readingSince(now));
    }

    /** Protocol 5.1: an attempt may overwrite earlier attempts of the same acquire. */
    @Nullable
    public VersionRange ownBeforeAcquire(Tenure tenure) {
        return tenure.last() == 0 ? null : tenure.versions(1, tenure.last());
    }

    /** Protocol 5.2: a renewal may overwrite all earlier writes for the same lease. */
    public VersionRange ownBeforeRenew(Tenure tenure) {
        return tenure.versions(1, tenure.last());
    }

    /** Protocol 5.2: a renewal never lowers the expiry, even if DynamoDB's time seems to have moved back. */
    public long renewedExpiry(BoundedClock.Reading reading, long claim, Tenure tenure) {
        return Math.max(expiry(reading.latest(), claim, tenure.largestToken()), tenure.largestExpiry());
    }

    /**
     * Protocol 5.3: a lease that has ended before its holder releases it counts as lost, because another owner may hold
     * the key. The lease counts as lost even if no timer has noticed its end.
     */
    public boolean isLostAtRelease(Confirmed last, long now, BoundedClock clock) {
        return isOver(last, now, clock);
    }

    /**
     * Protocol 5.3: a release must not delete an item that may have records, or to which an earlier write may still be
     * applied.
     */
    public boolean mayDelete(boolean unanswered, boolean mayHaveRecords) {
        return !unanswered && !mayHaveRecords;
    }

    /** Protocol 5.3, 5.4: an item may be deleted only if every later token surely exceeds the token in the item. */
    public boolean mayBeForgotten(long token, BoundedClock.Reading reading) {
        return token < reading.earliest() / MILLI;
    }

    /**
     * Protocol 5.4: returns the token of an attempt, in epoch milliseconds. The token is the latest possible DynamoDB
     * time plus 2 s, or the largest known token plus 1, whichever is larger.
     */
    public long token(BoundedClock.Reading reading, long largestKnown) {
        return Math.max((reading.latest() + GRANT_DEADLINE) / MILLI, largestKnown + 1);
    }

    /**
     * Protocol 5.4, 5.5: returns the monotonic time by which a reply must arrive for the attempt to count as a grant.
     * The acquire waits for the reply until this time.
     */
    public long grantedUntil(BoundedClock.Reading reading) {
        return reading.sent() + GRANT_DEADLINE;
    }

    /**
     * Protocol 5.5: an attempt can count as a grant only if its reply arrived within 2 s after the attempt was sent.
     */
    public final boolean isInTime(Tenure.Attempt attempt, long received) {
        return received - grantedUntil(attempt.reading()) <= 0;
    }

    /**
     * Protocol 5.5: returns whether the reply arrived in time for the attempt to count as a grant. Returns false after
     * a clock jump, because the monotonic clock may have stopped since the attempt was sent.
     */
    public boolean isGrant(Tenure.Attempt written, long received, BoundedClock clock) {
        return written.reading().epoch() == clock.epoch() && isInTime(written, received);
    }

    /**
     * Protocol 5.5: returns the attempt number in this version if this acquire or its lease wrote the version. Returns
     * 0 for a version of another acquire, and if there is no version.
     */
    public int numberOf(Tenure tenure, @Nullable String version) {
        return version != null && tenure.id().equals(Tenure.tenureOf(version)) ? Tenure.numberIn(version) : 0;
    }

    /**
     * Protocol 5.5, 6: returns the first refusal whose item shows neither this acquire nor its lease; {@code null} if
     * there is none. A lease of several keys is lost for all keys as soon as it is lost for one of them.
     */
    @Nullable
    public Refusal lostBy(Tenure tenure, List<Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> numberOf(tenure, refusal.version()) == 0)
                .findFirst()
                .orElse(null);
    }

    /**
     * Protocol 5.5, 6: returns the number of the newest attempt of this lease that the refusals show. Returns 0 if one
     * of the refusals does not show this lease. One transaction writes all items of a lease, so the newest attempt also
     * wrote the items without a refusal. A refusal confirms the attempt that its item shows, not the refused attempt.
     */
    public int newestShown(Tenure tenure, List<Refusal> refusals) {
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

    // ---- 6 callers and holds

    /**
     * Protocol 5.3, 6.5: returns whether another acquire of this process may overwrite the lease before its release is
     * applied. No acquire may overwrite the lease if the release has a hold or writes records. If an acquire overwrote
     * the lease, DynamoDB would refuse the release, so the hold and the records would be lost.
     */
    public boolean mayBeOverwritten(boolean holds, boolean writesRecords) {
        return !holds && !writesRecords;
    }

    /**
     * Protocol 6.5: returns the expiry of a hold, which keeps other owners from the key after a release. The expiry
     * counts from the earliest possible DynamoDB time: a hold may end a little early, because no code runs under it.
     * The expiry of a hold is never before the time in the token of the item.
     */
    public long holdExpiry(long earliest, long holdNanos, long token) {
        return Math.max(Math.floorDiv(earliest + holdNanos, SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * Protocol 6.5: returns whether the release is sent only at the end of the hold, instead of writing the hold to the
     * item. A release is delayed if its hold would expire before the time in the token, and if the lease lasts at least
     * as long as the hold.
     */
    public boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
        boolean belowToken = Math.floorDiv(earliest + holdNanos, SECOND) < -Math.floorDiv(-token, 1_000L);
        return holdNanos > 0 && belowToken && holdNanos <= remaining;
    }

    /**
     * Protocol 6.3: returns whether a lease must be released instead of being passed to the next caller of this
     * process. The limit is 16 consecutive hand-overs while another process waits.
     */
    public boolean endsHandOvers(int handOvers) {
        return handOvers >= MAX_HAND_OVERS;
    }

    // ---- 8 load

    /**
     * Protocol 8: returns whether an acquire may be sent. While renewals are late, the only acquires that may be sent
     * are hand-overs, because a hand-over replaces a release.
     */
    public boolean mayAsk(boolean isHandOver, boolean renewalsAreLate) {
        return isHandOver || !renewalsAreLate;
    }

    /**
     * Protocol 8: returns the new limit of requests in flight after a reply. A sign of congestion halves the limit, but
     * not below 4. A reply without congestion raises the limit by 1 / limit, up to 32. The caller raises the limit only
     * while the limit is used up or requests wait.
     */
    @Override
    public double boundAfter(double bound, boolean congested) {
        return congested ? Math.max(LEAST_IN_FLIGHT, bound / 2) : Math.min(MOST_IN_FLIGHT, bound + 1 / bound);
    }

    /**
     * Protocol 8: returns whether a reply is so slow that the table may be congested. A reply is slow if it took at
     * least 0.5 s and at least twice the usual time.
     */
    @Override
    public boolean isSlow(long tookNanos, long usualNanos) {
        return tookNanos >= Math.max(SECOND / 2, 2 * usualNanos);
    }

    /**
     * Protocol 8: returns whether replies have become clearly quicker since the limit of requests in flight was
     * lowered. If lowering the limit does not make replies quicker, the network path is slow, not the table.
     */
    @Override
    public boolean isQuicker(long tookNanos, long beforeNanos) {
        return tookNanos < beforeNanos / 4 * 3;
    }

    /**
     * Protocol 5.7: returns the timeout of a renewal. The timeout allows several attempts within the remaining validity
     * of the lease, and never exceeds this validity. While requests are slow, the timeout is longer, so that renewals
     * are not sent again unnecessarily.
     */
    public long renewalTimeout(long leftNanos, long tripNanos) {
        long third = Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, leftNanos / 3));
        long needed = Math.min(Requests.TIMEOUT, TRIPS * tripNanos);
        return Math.max(1, Math.min(leftNanos, Math.max(third, needed)));
    }

    /**
     * Protocol 8: returns whether this process sends only a few requests, as probes, because too many have failed in a
     * row.
     */
    @Override
    public boolean areProbes(int failedInARow) {
        return failedInARow >= FAILURES_BEFORE_PROBES;
    }

    /**
     * Protocol 8: returns whether the reply to a renewal would arrive after the end of the lease. A renewal whose reply
     * would be too late is sent after all other renewals.
     */
    @Override
    public boolean isTooLate(long leftNanos, long tripNanos) {
        return leftNanos <= tripNanos;
    }

    /** Protocol 8: in the last third of the ttl, a renewal is sent before all other requests and is always retried. */
    @Override
    public boolean isUrgent(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 3;
    }

    /**
     * Protocol 8: a renewal is late if it has not been sent before the last sixth of the ttl. While a renewal is late,
     * this process requests no new lease.
     */
    @Override
    public boolean isLate(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 6;
    }

    /**
     * Protocol 8: returns whether a failed renewal is retried alone instead of in a batch. A renewal is retried alone
     * if it has failed at least twice, is urgent, and few other renewals wait. In a batch, a renewal that has failed
     * twice might delay the other renewals.
     */
    public boolean isRetriedAlone(int failures, boolean urgent, boolean fewWait) {
        return failures > 1 && urgent && fewWait;
    }

    // ---- 9 watches

    /**
     * Protocol 9: returns whether the lease had already ended when the read of its item was sent. Returns false if the
     * lease ended after the read was sent, because the holder may have renewed it before the reply arrived.
     *
     * @param look the bounds of DynamoDB's time before the read was sent; {@code null}: unknown
     */
    @Override
    public boolean isOver(@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen) {
        return last == null
                || last.item().version() == null
                || (look != null && (isExpired(last.item(), look) || untilDead(last, look.sent(), seen) <= 0));
    }
}
