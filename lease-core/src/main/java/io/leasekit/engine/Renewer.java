package io.leasekit.engine;

import static io.leasekit.engine.BoundedClock.drift;
import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.LeaseLossReason;
import io.leasekit.engine.Requests.Reply;
import io.leasekit.engine.Validity.Confirmed;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases (protocol 5.2, 5.5, 5.7). This class is shared by all leases; {@link Heartbeat} is the part of one
 * lease.
 */
final class Renewer {

    private static final long MIN_ATTEMPT = SECOND / 10;
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;
    private static final int JITTER_SHARE = 10;

    private final LeaseRules rules;
    private final BoundedClock clock;
    private final Requests requests;
    private final ClockSync sync;
    private final RenewalBatches batches;
    private final RandomGenerator random;
    private final WakeUps wakeUps;
    private final Reports reports;

    /** The lease that a heartbeat keeps alive. */
    interface Holder {

        /** Returns the last confirmation; {@code null}: the lease has ended, and nothing revives it (5.6). */
        @Nullable
        Confirmed confirmed();

        /** Returns the monotonic time of the acquire, from which the hold limit counts. */
        long acquired();

        /** Takes in that a write of this lease was applied. */
        void onConfirmed(Confirmed confirmed);

        void lose(LeaseLossReason reason);

        /** Decides what is due after a change of the heartbeat. A renewal goes with the batch if there is one. */
        void decide(RenewalBatches.@Nullable Batch batch);
    }

    Renewer(
            LeaseRules rules,
            BoundedClock clock,
            Requests requests,
            ClockSync sync,
            RenewalBatches batches,
            RandomGenerator random,
            WakeUps wakeUps,
            Reports reports) {
        this.rules = rules;
        this.clock = clock;
        this.requests = requests;
        this.sync = sync;
        this.batches = batches;
        this.random = random;
        this.wakeUps = wakeUps;
        this.reports = reports;
    }

    /** Returns the heartbeat of a lease. All its steps run in the mailbox of that lease. */
    Heartbeat of(Holder lease, LeaseTerms terms, Mailbox mailbox, Tenure tenure) {
        return new Heartbeat(lease, terms, mailbox, tenure);
    }

    /** Returns a timeout that lets several attempts fit into the remaining validity and none outlive it (5.7). */
    private static long attemptTimeout(long remaining) {
        return Math.max(1, Math.min(remaining, Math.max(MIN_ATTEMPT, Math.min(Requests.TIMEOUT, remaining / 3))));
    }

    /** Returns the monotonic time of the stored expiry by the present clock, because it was made with a wrong clock. */
    private long whenExpired(Tenure.Attempt attempt, long now) {
        BoundedClock.Interval interval = clock.at(now);
        if (interval == null) {
            return now;
        }
        long left = attempt.expiry() * SECOND - interval.latest();
        return now + left - drift(left);
    }

    /** The renewals of one lease: when the next one is due, what a reply confirms, and when a failed one is retried. */
    final class Heartbeat extends WakeUps.Sleeper {

        private final Holder lease;
        private final LeaseTerms terms;
        private final Mailbox mailbox;
        private final Tenure tenure;
        private long renewAt;
        private boolean syncing;
        private int inFlight; // the number of the attempt; 0: none
        private int failures;
        private double jitterShare = random.nextDouble();
        private long lag;

        private Heartbeat(Holder lease, LeaseTerms terms, Mailbox mailbox, Tenure tenure) {
            super(wakeUps);
            this.lease = lease;
            this.terms = terms;
            this.mailbox = mailbox;
            this.tenure = tenure;
        }

        /** Makes the next renewal due now. */
        void hurry(long now) {
            renewAt = now;
        }

        /** Returns the time until the next renewal is due. A renewal in flight is awaited first, whatever its reply. */
        long nanosUntilDue(long now) {
            return syncing || inFlight > 0 ? Long.MAX_VALUE : renewAt - now;
        }

        /** Wakes the lease after this time, or when the next renewal is due if that is sooner. */
        void sleep(long now, long nanos) {
            long untilDue = nanosUntilDue(now);
            long next = Math.max(0, Math.min(nanos, untilDue));
            wakeUps.wakeAt(this, now + (next == untilDue ? nanosUntilEarly(now) : next), now + next);
        }

        /** Stops the heartbeat, because the lease has ended. */
        void stop() {
            wakeUps.forget(this);
        }

        @Override
        void onDue(RenewalBatches.Batch batch) {
            mailbox.execute(() -> lease.decide(batch));
        }

        @Override
        void onEarly(RenewalBatches.Batch batch) {
            mailbox.execute(() -> {
                long now = clock.now();
                if (isOrdinary() && nanosUntilEarly(now) <= 0) {
                    hurry(now);
                }
                lease.decide(batch);
            });
        }

        /** Returns the time until the next renewal may join others. This is before it is due, by the largest jitter. */
        private long nanosUntilEarly(long now) {
            long untilDue = nanosUntilDue(now);
            return isOrdinary() ? untilDue - jitter(1) : untilDue;
        }

        private boolean isOrdinary() {
            return !syncing && inFlight == 0 && failures == 0 && !terms.isGroup();
        }

        private long jitter(double share) {
            long most = terms.heartbeatInterval() / JITTER_SHARE;
            return (long) (most * share);
        }

        /** Sends a renewal, with the batch if there is one. */
        void renew(long now, Confirmed before, RenewalBatches.@Nullable Batch batch) {
            BoundedClock.Reading reading = rules.beforeSending(clock);
            if (reading == null) {
                syncing = true;
                sync.sync(
                        terms.key(),
                        (failure, synced) -> mailbox.execute(() -> onSynced(failure != null, before, synced)));
            } else {
                send(reading, attemptTimeout(before.remaining(now)), batch);
            }
        }

        private void onSynced(boolean failed, Confirmed before, RenewalBatches.Batch batch) {
            syncing = false;
            if (failed) {
                backOff(clock.now(), before);
            }
            lease.decide(batch);
        }

        private void send(BoundedClock.Reading reading, long timeout, RenewalBatches.@Nullable Batch batch) {
            VersionRange own = rules.ownBeforeRenew(tenure);
            long term = rules.term(terms, reading.sent() - lease.acquired());
            long byClock = rules.expiry(reading.latest(), term, tenure.largestToken());
            Tenure.Attempt attempt = tenure.next(reading, Math.max(byClock, tenure.largestExpiry()), 0);
            inFlight = attempt.number();
            lag = reading.sent() - renewAt;
            jitterShare = batches.share(batch);
            long millis = LeaseTerms.millisForObservers(term);
            List<RenewCommand> commands = LeaseTerms.forEach(terms.items(), key -> command(key, attempt, millis, own));
            Consumer<Reply> receiver = reply -> mailbox.execute(() -> onReply(attempt, reply));
            if (terms.isGroup() || failures > 0) {
                requests.write(commands, new Requests.Pending(reading, timeout, receiver, receiver));
            } else {
                batches.send(
                        batch,
                        new RenewalBatches.Renewal(
                                commands.get(0),
                                reading,
                                reading.sent() + timeout,
                                () -> lease.confirmed() != null,
                                receiver,
                                receiver));
            }
        }

        private RenewCommand command(String key, Tenure.Attempt attempt, long millis, VersionRange own) {
            return new RenewCommand(key, tenure.version(attempt.number()), attempt.expiry(), millis, own);
        }

        private void onReply(Tenure.Attempt attempt, Reply reply) {
            boolean awaited = inFlight == attempt.number();
            if (awaited) {
                inFlight = 0;
            }
            Confirmed before = lease.confirmed();
            if (before == null) {
                return; // lost or released meanwhile; nothing revives it (5.6)
            }
            if (awaited) {
                reports.renewalEnded(terms, reply, lag, before.remaining(reply.at()));
            }
            List<StoreReply.Refusal> refusals = reply.refusals(terms.items());
            if (!refusals.isEmpty()) {
                onRefused(attempt, refusals, reply);
            } else if (reply.outcome() instanceof StoreReply.Applied) {
                confirm(attempt, reply);
            } else if (awaited) {
                backOff(reply.at(), before);
            }
            lease.decide(null);
        }

        private void onRefused(Tenure.Attempt attempt, List<StoreReply.Refusal> refusals, Reply reply) {
            StoreReply.Refusal lostBy = rules.lostBy(tenure, refusals);
            if (lostBy != null) {
                lease.lose(isAnothers(lostBy.version()) ? LeaseLossReason.TAKEN : LeaseLossReason.REVOKED);
                return;
            }
            int shown = rules.newestShown(tenure, refusals);
            Tenure.Attempt confirmed = tenure.attempt(shown);
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

        private void backOff(long now, Confirmed before) {
            failures++;
            long quarter = Math.max(before.remaining(now) / 4, MIN_BACKOFF); // keeps retries from getting ever denser
            long cap = Math.min(MAX_BACKOFF, Math.min(terms.heartbeatInterval(), quarter));
            renewAt = now + Requests.backoff(failures, cap, random);
        }

        /** Confirms this attempt, because a reply showed that it was applied (5.5). */
        void confirm(Tenure.Attempt attempt, Reply reply) {
            if (tenure.attempt(attempt.number()) == null) {
                return; // a later one was confirmed before
            }
            tenure.confirm(attempt);
            failures = 0;
            long limit = lease.acquired() + terms.holdAtMost();
            long until = rules.validUntil(attempt, rules.term(terms, attempt.sent() - lease.acquired()));
            boolean atLimit = limit - until <= 0;
            until = atLimit ? limit : until;
            renewAt = attempt.sent() + terms.heartbeatInterval() - jitter(jitterShare);
            if (requests.contradicts(attempt.reading(), reply)) {
                long expired = whenExpired(attempt, reply.at());
                atLimit &= expired - until >= 0;
                until = expired - until < 0 ? expired : until;
                hurry(reply.at());
            }
            Confirmed confirmed = new Confirmed(
                    until, attempt.expiry() * SECOND, attempt.reading().epoch(), atLimit);
            if (!confirmed.isKnown(clock)) {
                hurry(reply.at());
            }
            lease.onConfirmed(confirmed);
        }
    }
}
