package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;
import static io.leasekit.LeaseRules.drift;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of one lease (protocol 5.2, 5.5, 5.7): when the next one is due, what its reply says, and how soon a failed one
 * is tried again. One is in flight at a time; none is sent once the lease has ended. Lives in the lease's mailbox.
 */
final class Heartbeat {

    private static final long MAX_ATTEMPT = 2 * SECOND;
    private static final long MIN_ATTEMPT = SECOND / 10;
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;
    private static final int JITTER_SHARE = 10;

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Mailbox mailbox;
    private final Tenure tenure;
    private final HeldLease lease;
    private long renewAt;
    private boolean syncing;
    private int inFlight;
    private int failures;
    private double jitterShare;
    private long lag;

    Heartbeat(LeaseEngine engine, LeaseTerms terms, Mailbox mailbox, Tenure tenure, HeldLease lease) {
        this.engine = engine;
        this.terms = terms;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.lease = lease;
        this.jitterShare = engine.random.nextDouble();
    }

    /** Makes the next renewal due now. */
    void hurry(long now) {
        renewAt = now;
    }

    /** Returns how long until the next renewal is due; one that is in flight is waited for, whatever its reply. */
    long nanosUntilDue(long now) {
        return syncing || inFlight > 0 ? Long.MAX_VALUE : renewAt - now;
    }

    /** Returns how long until the next renewal may go out with others': sooner than it is due by as much as jitter is. */
    long nanosUntilEarly(long now) {
        long untilDue = nanosUntilDue(now);
        return isOrdinary() ? untilDue - jitter(1) : untilDue;
    }

    /** Makes the next renewal due now if it is the next thing to come. */
    void renewEarly(long now) {
        if (isOrdinary() && nanosUntilEarly(now) <= 0) {
            hurry(now);
        }
    }

    private boolean isOrdinary() {
        return !syncing && inFlight == 0 && failures == 0 && !terms.isGroup();
    }

    private long jitter(double share) {
        long most = terms.heartbeatInterval() / JITTER_SHARE;
        return (long) (most * share);
    }

    void renew(long now, Validity validity) {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            syncing = true;
            engine.requests.syncClock(
                    terms.key(), failure -> mailbox.execute(() -> onSynced(failure != null, validity)));
        } else {
            send(reading, attemptTimeout(validity.remaining(now)));
        }
    }

    private void onSynced(boolean failed, Validity validity) {
        syncing = false;
        if (failed) {
            backOff(engine.clock.now(), validity);
        }
        lease.wake();
    }

    private void send(BoundedClock.Reading reading, long timeout) {
        VersionRange own = engine.rules.ownBeforeRenew(tenure);
        long byClock = engine.rules.expiry(reading.latest(), terms.ttl(), tenure.largestToken());
        long expiry = Math.max(byClock, tenure.largestExpiry());
        Tenure.Attempt attempt = tenure.next(reading, expiry, 0);
        inFlight = attempt.number();
        lag = reading.sent() - renewAt;
        jitterShare = engine.renewals.share();
        String version = tenure.version(attempt.number());
        List<RenewCommand> commands = LeaseTerms.forEach(
                terms.keys(), key -> new RenewCommand(key, version, expiry, terms.ttl() / LeaseRules.MILLI, own));
        Consumer<Reply> consumer = reply -> mailbox.execute(() -> onReply(attempt, reply));
        if (terms.isGroup() || failures > 0) {
            engine.requests.send(reading, timeout, engine.requests.write(commands), consumer, consumer);
        } else {
            engine.requests.sendUndated(
                    reading,
                    timeout,
                    within -> engine.renewals.send(commands.get(0), reading, lease, within),
                    consumer,
                    consumer);
        }
    }

    /** Several attempts fit into what is left of the lease, and none outlives it (5.7). */
    private static long attemptTimeout(long remaining) {
        return Math.max(1, Math.min(remaining, Math.max(MIN_ATTEMPT, Math.min(MAX_ATTEMPT, remaining / 3))));
    }

    private void onReply(Tenure.Attempt attempt, Reply reply) {
        boolean awaited = inFlight == attempt.number();
        if (awaited) {
            inFlight = 0;
        }
        Validity validity = lease.validity();
        if (validity == null) {
            return; // lost or released meanwhile: nothing revives it (5.6)
        }
        if (awaited) {
            engine.measurements.renewalEnded(terms, reply, lag, validity);
        }
        List<StoreReply.Refusal> refusals = reply.refusals(terms.keys());
        if (!refusals.isEmpty()) {
            onRefused(attempt, refusals, reply);
        } else if (reply.outcome() instanceof StoreReply.Applied) {
            confirm(attempt, reply);
        } else if (awaited) {
            backOff(reply.at(), validity);
        }
        lease.wake();
    }

    private void onRefused(Tenure.Attempt attempt, List<StoreReply.Refusal> refusals, Reply reply) {
        StoreReply.Refusal lostBy = engine.rules.lostBy(tenure, terms.keys(), refusals);
        if (lostBy != null) {
            lease.lose(isAnothers(lostBy.version()) ? LeaseLossReason.TAKEN : LeaseLossReason.REVOKED);
            return;
        }
        int shown = engine.rules.newestShown(tenure, terms.keys(), refusals);
        Tenure.Attempt confirmed = engine.rules.confirmed(tenure, shown, attempt.number());
        if (confirmed != null) {
            confirm(confirmed, reply);
        }
        if (shown != attempt.number()) {
            hurry(reply.at());
        }
    }

    private static boolean isAnothers(@Nullable String version) {
        return version != null && !Tenure.NOBODY.equals(Tenure.tenureOf(version));
    }

    private void backOff(long now, Validity validity) {
        failures++;
        long quarter = Math.max(validity.remaining(now) / 4, MIN_BACKOFF); // not ever shorter towards the end
        long cap = Math.min(MAX_BACKOFF, Math.min(terms.heartbeatInterval(), quarter));
        renewAt = now + Backoff.delayNanos(failures, cap, engine.random);
    }

    /** The table shows, or showed, this attempt's write (5.5). */
    void confirm(Tenure.Attempt attempt, Reply reply) {
        if (tenure.attempt(attempt.number()) == null) {
            return; // a later one was confirmed before
        }
        tenure.confirm(attempt);
        failures = 0;
        long until = engine.rules.validUntil(attempt, reply.at(), terms.ttl());
        renewAt = attempt.sent() + terms.heartbeatInterval() - jitter(jitterShare);
        if (engine.requests.contradicts(attempt.reading(), reply)) {
            long expired = whenExpired(attempt, reply.at());
            until = expired - until < 0 ? expired : until;
            hurry(reply.at());
        }
        Validity validity =
                new Validity(until, attempt.expiry() * SECOND, attempt.reading().epoch());
        if (!validity.isConfirmed(engine.clock)) {
            hurry(reply.at());
        }
        lease.onConfirmed(validity);
    }

    /** The clock that made the expiry was wrong: the lease counts until that expiry by the clock as it is now known. */
    private long whenExpired(Tenure.Attempt attempt, long now) {
        BoundedClock.Interval interval = engine.clock.at(now);
        if (interval == null) {
            return now;
        }
        long left = attempt.expiry() * SECOND - interval.latest();
        return now + left - drift(left);
    }
}
