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
 * All decisions on which the safety of the protocol depends. Each decision is one stateless method. The methods are in
 * the order of the chapters of {@code docs/protocol.md}:
 *
 * <ul>
 *   <li>chapter 4: whether a lease of this process is valid, which time DynamoDB has, and whether the holder of a lease
 *       is dead
 *   <li>chapter 5: which items a write may overwrite, which token and expiry the write has, and what its reply proves
 *   <li>chapter 6: whether a release may be delayed or overwritten, when a hold ends, and how often a process may
 *       pass a lease from one of its callers to the next
 *   <li>chapter 8, and section 5.7: how many requests are in flight, in which order requests are sent, and when a
 *       renewal times out
 *   <li>chapter 9: when a lease is over for a watch
 * </ul>
 *
 * <p>Other classes store the data that these methods need: {@link BoundedClock} stores the bounds of DynamoDB's time,
 * {@link Observer} the items that replies have shown, and {@link Tenure} the writes that were sent. Packages that need
 * a decision declare an interface for it, and this class implements that interface. Most methods look more careful than
 * necessary, but each simpler version lets the protocol fail in some order of events, as {@code ProtocolMutantsTest}
 * and, for chapter 8, {@code OverloadTest} show. Thread-safe.
 */
@Internal
public class LeaseRules implements RequestRules, Validity.Rules, Observer.Rules {

    /**
     * An acquire attempt is a grant only if its reply arrives within this time after sending (protocol 5.4). All nodes
     * use the same value.
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
     * Protocol 4.1: a lease is valid until its end, unless a clock has jumped since the confirmed write (the last grant
     * or renewal) was sent.
     */
    @Override
    public final boolean isValid(Confirmed write, long now, BoundedClock clock) {
        return isKnown(write, clock) && !isOver(write, now, clock);
    }

    /**
     * Protocol 4.1: a lease has ended as soon as its end is reached on the monotonic clock, or in the bounds of
     * DynamoDB's time.
     */
    @Override
    public boolean isOver(Confirmed write, long now, BoundedClock clock) {
        BoundedClock.Interval time = clock.at(now);
        return write.remaining(now) <= 0 || (time != null && time.earliest() >= write.expiry());
    }

    /**
     * Protocol 4.1: returns whether neither the monotonic clock nor the wall clock has jumped since this write. After a
     * jump, only another renewal can show that the lease is still valid.
     */
    public boolean isKnown(Confirmed write, BoundedClock clock) {
        return write.epoch() == clock.epoch();
    }

    /**
     * Protocol 4.1: a clock has jumped if the difference between the wall clock and the monotonic clock has changed by
     * more than 100 ms since the last check.
     */
    @Override
    public boolean isJump(long millis) {
        return Math.abs(millis) > JUMP_MILLIS;
    }

    /**
     * Protocol 4.1: reads the monotonic clock and then the bounds of DynamoDB's time, from which the validity and the
     * expiry of the next write are computed.
     */
    public BoundedClock.@Nullable Reading beforeSending(BoundedClock clock) {
        return clock.readingSince(clock.now());
    }

    /**
     * Protocol 4.1: the validity of a grant or renewal counts from a time before the request was sent, not from the
     * arrival of the reply.
     */
    public long validUntil(Tenure.Attempt attempt) {
        return attempt.sent() + attempt.claim() - drift(attempt.claim());
    }

    /**
     * Protocol 4.1: returns the claim of a write, that is, the time for which the write requests the lease. The claim
     * is the ttl, or longer if the caller was promised a longer validity. The claim never reaches beyond the latest
     * possible end of the lease.
     *
     * @param heldFor the time since the acquire was sent
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
     * Protocol 4.1: returns the time that has surely passed between the sending of two writes. If a clock has jumped
     * between the writes, the monotonic clock may have stopped while the machine was suspended. After a clock jump,
     * returns the monotonic time or the shortest time that DynamoDB's clock allows, whichever is longer.
     */
    public long elapsed(BoundedClock.Reading before, BoundedClock.Reading now) {
        long shown = now.sent() - before.sent();
        long surely = now.earliest() - before.latest() - (now.at() - now.sent());
        return now.epoch() == before.epoch() ? shown : Math.max(shown, surely);
    }

    // ---- 4.2 DynamoDB's time

    /**
     * Protocol 4.2: returns the interval that counts as DynamoDB's time. Each reply shows an interval that contains
     * this time. The result is the intersection of these intervals, or, if they have no common part, the smallest
     * interval that covers all of them.
     */
    @Override
    public BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
        return intersection.earliest() <= intersection.latest() ? intersection : hull;
    }

    /**
     * Protocol 4.2: returns the clock reading for an acquire attempt; {@code null}: no reply of the last ten minutes
     * has shown DynamoDB's time, so no attempt may be sent.
     */
    @Override
    public BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
        BoundedClock.Reading reading = beforeSending(clock);
        return reading != null && clock.isFresh(reading.at()) ? reading : null;
    }

    /**
     * Protocol 4.2: returns the expiry that a write stores, rounded up to seconds. The expiry is never below the token,
     * so item TTL removes no token that is still needed.
     */
    public long expiry(long latest, long durationNanos, long token) {
        return Math.max(-Math.floorDiv(-(latest + durationNanos), SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * Protocol 4.2: returns the monotonic time until which a lease is valid if the date of a reply contradicts the
     * clock reading that the write used. Because of this contradiction, the lease is valid only until its stored
     * expiry, measured with the new bounds of DynamoDB's time. If a clock has jumped and no reply has shown DynamoDB's
     * time since, returns the end of the claim, because the lease counts as valid only after another renewal.
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
     * Protocol 4.2: returns a limit in epoch seconds: a lease whose expiry is below the limit has surely ended; {@code
     * null}: unknown, because no two replies agree on DynamoDB's time.
     */
    @Nullable
    public Long freeBelow(BoundedClock.Reading reading) {
        return reading.agreed() ? Math.floorDiv(reading.earliest(), SECOND) : null;
    }

    /**
     * Protocol 4.2: returns whether the lease in the item has surely expired according to this clock reading; false if
     * there is no reading.
     */
    public final boolean isExpired(LeaseItem item, BoundedClock.@Nullable Reading time) {
        Long freeBelow = time == null ? null : freeBelow(time);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    // ---- 4.3 observation

    /** Protocol 4.3: the observation of a version starts when the first reply that shows the version arrives. */
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
     * Protocol 4.3: returns the time for which the version must still remain unchanged until its holder counts as dead;
     * zero or less: the holder counts as dead now.
     */
    @Override
    public long untilDead(Observation last, long now, Observer seen) {
        Long millis = observedMillis(last.item());
        long ttl = millis == null ? seen.unknownTtl() : millis * MILLI;
        return ttl + drift(ttl) - (now - seen.unchangedSince(last));
    }

    /**
     * Protocol 4.3: the holder of a version is dead if replies have shown the version unchanged for the ttl in the
     * item, or if the holder was a caller of this process whose acquire or lease has ended.
     */
    @Override
    public final boolean isDead(Observation last, long now, Observer seen) {
        String version = last.item().version();
        return version != null && (seen.isEnded(version) || untilDead(last, now, seen) <= 0);
    }

    // ---- 5 writes

    /**
     * Protocol 5.1: a key may be acquired if its item is missing or has no version, or if the lease in the item has
     * expired or its holder is dead. {@link SeenItems} also allows an acquire to overwrite its own earlier attempts.
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

    /**
     * Protocol 5.2: the expiry of a renewal is never before the expiry of an earlier write for the lease, even if
     * DynamoDB's time seems to have moved back.
     */
    public long renewedExpiry(BoundedClock.Reading reading, long claim, Tenure tenure) {
        return Math.max(expiry(reading.latest(), claim, tenure.largestToken()), tenure.largestExpiry());
    }

    /**
     * Protocol 5.3: if a lease has already ended when its holder releases it, the lease counts as lost, because another
     * owner may already hold the key. The lease counts as lost even if no timer has noticed its end.
     */
    public boolean isLostAtRelease(Confirmed last, long now, BoundedClock clock) {
        return isOver(last, now, clock);
    }

    /**
     * Protocol 5.3: a release must not delete an item that may have records, or an item to which an earlier write may
     * still be applied.
     */
    public boolean mayDelete(boolean unanswered, boolean mayHaveRecords) {
        return !unanswered && !mayHaveRecords;
    }

    /** Protocol 5.3, 5.4: an item may be deleted only if every later token surely exceeds the token in the item. */
    public boolean mayBeForgotten(long token, BoundedClock.Reading reading) {
        return token < reading.earliest() / MILLI;
    }

    /**
     * Protocol 5.4: returns the token of an attempt: the latest time that DynamoDB can have plus 2 s, in epoch
     * milliseconds, or the largest known token plus 1, whichever is larger.
     */
    public long token(BoundedClock.Reading reading, long largestKnown) {
        return Math.max((reading.latest() + GRANT_DEADLINE) / MILLI, largestKnown + 1);
    }

    /**
     * Protocol 5.4, 5.5: returns the monotonic time until which the reply to an attempt must arrive for the attempt to
     * count as a grant. The acquire waits for the reply until this time.
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
     * Protocol 5.5: returns whether an attempt counts as a grant because its reply arrived in time. If a clock has
     * jumped since the attempt was sent, the result is false: the monotonic clock may have stopped, so the time since
     * then is unknown.
     */
    public boolean isGrant(Tenure.Attempt written, long received, BoundedClock clock) {
        return written.reading().epoch() == clock.epoch() && isInTime(written, received);
    }

    /**
     * Protocol 5.5: returns the attempt number in this version if an attempt of this acquire or its lease wrote the
     * version; 0 if another acquire wrote it, in this or another process, or if there is no version.
     */
    public int numberOf(Tenure tenure, @Nullable String version) {
        return version != null && tenure.id().equals(Tenure.tenureOf(version)) ? Tenure.numberIn(version) : 0;
    }

    /**
     * Protocol 5.5, 6: returns the first refusal whose item does not show this acquire or its lease; {@code null}:
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
     * Protocol 5.5, 6: returns the attempt number of the newest write of this lease that the refusals show; 0 if one of
     * the refusals does not show this lease. One transaction writes all items of a lease, so items that no refusal
     * shows contain the same write. The refusals confirm the write that their items show, not the write that was
     * refused.
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
     * Protocol 5.3, 6.5: returns whether an acquire of this process may overwrite the lease of another caller before
     * the release of that lease is applied. If the release has a hold or writes records, no acquire may do so: the
     * acquire would change the version in the item, so DynamoDB would refuse the release, and the hold and the records
     * would be lost.
     */
    public boolean mayBeOverwritten(boolean holds, boolean writesRecords) {
        return !holds && !writesRecords;
    }

    /**
     * Protocol 6.5: returns the expiry of a hold, which keeps other owners from the key after a release. A hold may end
     * a little early, because no code runs under it, so its expiry counts from the earliest time that DynamoDB can
     * have. The expiry of a hold is never below the token in the item.
     */
    public long holdExpiry(long earliest, long holdNanos, long token) {
        return Math.max(Math.floorDiv(earliest + holdNanos, SECOND), -Math.floorDiv(-token, 1_000L));
    }

    /**
     * Protocol 6.5: returns whether the release is sent only at the end of the hold, so that the hold is not written to
     * the item. The release is delayed if the hold is too short to be written, because the expiry would be below the
     * token, and if the lease lasts at least as long as the hold.
     */
    public boolean delaysRelease(long holdNanos, long earliest, long token, long remaining) {
        boolean belowToken = Math.floorDiv(earliest + holdNanos, SECOND) < -Math.floorDiv(-token, 1_000L);
        return holdNanos > 0 && belowToken && holdNanos <= remaining;
    }

    /**
     * Protocol 6.3: returns whether a lease must be released instead of being passed to the next caller of this
     * process. A lease must be released after this process has passed it between its callers 16 times in a row while
     * another process waited.
     */
    public boolean endsHandOvers(int handOvers) {
        return handOvers >= MAX_HAND_OVERS;
    }

    // ---- 8 load

    /**
     * Protocol 8: returns whether an acquire may be sent. While renewals are late, this process sends no acquire except
     * a hand-over to its next caller, which replaces the release of the previous caller.
     */
    public boolean mayAsk(boolean isHandOver, boolean renewalsAreLate) {
        return isHandOver || !renewalsAreLate;
    }

    /**
     * Protocol 8: returns the new limit of requests in flight after a reply. A sign of congestion halves the limit, but
     * not below 4. Other replies raise the limit by 1 / limit, up to 32, while the limit is used up or requests wait.
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
     * lowered. If replies are not quicker, the network path is slow, not the table.
     */
    @Override
    public boolean isQuicker(long tookNanos, long beforeNanos) {
        return tookNanos < beforeNanos / 4 * 3;
    }

    /**
     * Protocol 5.7: returns the timeout of a renewal. The timeout is short enough for several attempts within the
     * remaining validity of the lease, and never exceeds that validity. While requests are slow, the timeout is longer,
     * because a renewal that times out too early must be sent again.
     *
     * @param tripNanos the average duration of requests
     */
    public long renewalTimeout(long leftNanos, long tripNanos) {
        long third = Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, leftNanos / 3));
        long needed = Math.min(Requests.TIMEOUT, TRIPS * tripNanos);
        return Math.max(1, Math.min(leftNanos, Math.max(third, needed)));
    }

    /**
     * Protocol 8: returns whether so many requests have failed in a row that this process sends only a few requests, as
     * probes.
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
     * Protocol 8: if a renewal still waits in the last sixth of the ttl, a new lease might not be renewed in time, so
     * none is requested.
     */
    @Override
    public boolean isLate(long leftNanos, long ttlNanos) {
        return leftNanos < ttlNanos / 6;
    }

    /**
     * Protocol 8: returns whether a failed renewal is retried alone instead of in a batch. A renewal is retried alone
     * if it has failed twice, is urgent, and few other renewals wait. In a batch, a renewal that has failed twice might
     * delay the other renewals.
     */
    public boolean isRetriedAlone(int failures, boolean urgent, boolean fewWait) {
        return failures > 1 && urgent && fewWait;
    }

    // ---- 9 watches

    /**
     * Protocol 9: returns whether the lease had already ended when the read that showed it was sent. The result is
     * false for a lease that ended after the read was sent, because a renewal may have been applied before the reply
     * arrived.
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
