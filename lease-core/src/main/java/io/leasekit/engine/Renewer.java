package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseLossReason;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.text.Text;
import io.leasekit.threads.Mailbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases (protocol 5.2, 5.5, 5.7). All leases share one renewer; {@link Heartbeat} holds the state of a single
 * lease. If a reply is lost, the package {@code io.leasekit.requests} reports a failure after a timeout. The next
 * renewal then also accepts the version that the unanswered renewal may have written.
 */
final class Renewer {

    private static final double MOST_JITTER = 0.1; // of the interval
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;
    private static final long MAX_AWAITED_BACKOFF = SECOND; // a caller waits for at least 2 s
    private static final String GOES_ON = "; its work goes on until it checks the lease, is interrupted or ends";

    private final EngineParts parts;
    private final RenewalSchedule schedule;

    /** The lease that a heartbeat keeps alive. */
    interface Renewed {

        /** Returns the last confirmation; {@code null}: the lease has ended, and nothing revives it (5.6). */
        @Nullable
        Confirmed confirmed();

        /**
         * Raises the promised validity so that it covers all callers that wait at the monotonic time {@code at}.
         * Returns the promised validity, counted from the acquire. {@code heldFor}: the time from the acquire to {@code
         * at}.
         */
        long promise(long heldFor, long at);

        /** Returns whether a caller waits for a renewal. */
        boolean isAwaited();

        /** Records that this write of the lease was applied. */
        void onConfirmed(int attempt, Confirmed confirmed);

        /** Returns the changes of records that this write contains. */
        Edits editsFor(Tenure.Attempt attempt);

        /** Marks the lease as lost. {@code how}: the end of the log line. */
        void lose(LeaseLossReason reason, String how);

        /** Decides what is due after a change of the heartbeat. */
        void decide();
    }

    Renewer(EngineParts parts) {
        this.parts = parts;
        this.schedule = new RenewalSchedule(parts.time, parts.path.limiter());
    }

    /** Returns the heartbeat of a lease. All steps of the heartbeat run in the mailbox of the lease. */
    Heartbeat of(Renewed lease, LeaseSpec spec, Mailbox mailbox, Tenure tenure, BoundedClock.Reading acquired) {
        return new Heartbeat(lease, spec, mailbox, tenure, acquired);
    }

    /** Returns the time by which this share of the jitter shortens the interval between two renewals. */
    private static long jitter(LeaseSpec spec, double share) {
        return (long) (spec.heartbeatInterval() * MOST_JITTER * share);
    }

    /**
     * Returns the delay before a renewal is retried after this many failures in a row. If the retry budget is used up,
     * the delay is longer, except in the last third of the ttl. While a caller waits for the renewal, the delay is at
     * most one second.
     */
    private long backoff(int failures, long remaining, LeaseSpec spec, boolean awaited) {
        long quarter = Math.max(remaining / 4, MIN_BACKOFF); // keeps retries from becoming ever more frequent
        long most = awaited ? Math.min(MAX_AWAITED_BACKOFF, spec.heartbeatInterval()) : spec.heartbeatInterval();
        long longest = Math.min(most, quarter);
        boolean mayRetry = parts.rules.isUrgent(remaining, spec.ttl())
                || parts.path.budget().take();
        long delay = Requests.backoff(failures, Math.min(MAX_BACKOFF, longest), parts.random);
        return mayRetry ? delay : longest;
    }

    /**
     * The renewals of one lease: when the next renewal is due, what a reply confirms, and when a failed renewal is
     * retried.
     */
    final class Heartbeat {

        private final Renewed lease;
        private final LeaseSpec spec;
        private final Mailbox mailbox;
        private final Tenure tenure;
        private final long acquired;
        private BoundedClock.Reading counted;
        private long held; // the time held when the write of 'counted' was sent (4.1)
        private long renewAt;
        private boolean waits; // for the request limiter, or for a clock sample
        private boolean alone; // a batch did not show the outcome for this lease
        private int inFlight; // the number of the attempt; 0: none
        private boolean demanded; // demanded while a renewal was in flight; its reply does not count
        private int failures;
        private @Nullable Throwable failure; // the latest since a renewal succeeded
        private double jitterShare = parts.random.nextDouble();
        private long lag; // time from when the attempt in flight was due until it was sent; for monitors

        // guarded by the schedule
        final long number = schedule.nextNumber();
        long due;
        long early;
        boolean isAsleep;

        private Heartbeat(Renewed lease, LeaseSpec spec, Mailbox mailbox, Tenure tenure, BoundedClock.Reading granted) {
            this.lease = lease;
            this.spec = spec;
            this.mailbox = mailbox;
            this.tenure = tenure;
            this.acquired = granted.sent();
            this.counted = granted;
        }

        /**
         * Returns the latest failure of a renewal since the last success; {@code null}: none. Failures of batches whose
         * renewals are sent again individually do not count.
         */
        @Nullable
        Throwable failure() {
            return failure;
        }

        void hurry(long now) {
            renewAt = now;
        }

        /** Retries a failed renewal within one second, because a caller now waits for the renewal. */
        void retrySoon(long now) {
            renewAt = Math.min(renewAt - now, MAX_AWAITED_BACKOFF) + now;
        }

        /**
         * Requests a renewal that is sent after this call, as soon as possible. A renewal in flight does not count: the
         * new renewal is sent after its reply.
         */
        void demand(long now) {
            demanded = inFlight > 0;
            hurry(now);
        }

        /** Returns the number of the write whose reply is awaited; 0: none. */
        int inFlight() {
            return inFlight;
        }

        /** Returns the time until the next renewal is due. No renewal is due while another is in flight. */
        long nanosUntilDue(long now) {
            return waits || inFlight > 0 ? Long.MAX_VALUE : renewAt - now;
        }

        /** Wakes the lease after this time, or when the next renewal is due, whichever is sooner. */
        void sleep(long now, long nanos) {
            long untilDue = nanosUntilDue(now);
            long next = Math.max(0, Math.min(nanos, untilDue));
            boolean forRenewal = next == untilDue; // not for the end of the lease, or for a warning
            schedule.wakeAt(this, now + (forRenewal ? nanosUntilEarly(now) : next), now + next);
        }

        void stop() {
            schedule.forget(this);
        }

        /**
         * Called when the lease is due, or {@code early} because other leases are being renewed. Never called before
         * the time {@code early} that was passed to {@link #sleep}.
         */
        void wake(boolean early) {
            mailbox.execute(() -> {
                if (early && isOrdinary() && nanosUntilEarly(parts.clock.now()) <= 0) {
                    hurry(parts.clock.now());
                }
                lease.decide();
            });
        }

        /**
         * Returns the time until the next renewal may join others: the time until it is due, minus the largest jitter.
         */
        private long nanosUntilEarly(long now) {
            long untilDue = nanosUntilDue(now);
            return isOrdinary() ? untilDue - jitter(spec, 1) : untilDue;
        }

        private boolean isOrdinary() {
            return !waits && inFlight == 0 && failures == 0 && !spec.isGroup();
        }

        /**
         * Queues a renewal. While few renewals wait, a renewal that has failed twice and is urgent is sent alone: such
         * a renewal might hang and hold up a batch.
         */
        void queue(Confirmed before) {
            waits = true;
            long end = urgentBy(before);
            boolean urgent = parts.rules.isUrgent(end - parts.clock.now(), spec.ttl());
            boolean mayHang = parts.rules.isRetriedAlone(
                    failures, urgent, parts.path.limiter().areFew());
            String sharing = alone || mayHang || spec.isGroup() ? null : spec.item();
            parts.requests.renew(sharing, end, spec.ttl(), mailbox::execute, this::send);
        }

        /**
         * Returns the time by which waiting renewals are sorted. This is the time at which the lease ends unless it is
         * renewed. If no renewal can move the end of the lease, the renewal is not urgent, so a time one ttl later than
         * the end is used.
         */
        private long urgentBy(Confirmed before) {
            boolean moves = !before.isFinal() || spec.passive() || !parts.rules.isKnown(before, parts.clock);
            return moves ? before.until() : before.until() + spec.ttl();
        }

        /** Sends the renewal, unless the lease has ended or DynamoDB's time must be read first. */
        private void send(Requests.Outgoing request) {
            waits = false;
            Confirmed before = lease.confirmed();
            if (before == null) {
                return;
            }
            BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
            if (reading == null) {
                waits = true;
                parts.path
                        .sync()
                        .sync(spec.item(), (failure, rejected) -> mailbox.execute(() -> onSynced(failure, before)));
                return;
            }
            VersionRange own = parts.rules.ownBeforeRenew(tenure);
            Tenure.Attempt attempt = next(reading);
            jitterShare = request.share();
            request.join(
                    LeaseSpec.forEach(spec.items(), key -> command(key, attempt, own)),
                    new Requests.Pending(
                            reading,
                            parts.rules.renewalTimeout(
                                    before.remaining(reading.sent()),
                                    parts.path.limiter().trip()),
                            reply -> mailbox.execute(() -> onReply(attempt, reply, false)),
                            late -> mailbox.execute(() -> onLateReply(attempt, late))),
                    () -> lease.confirmed() != null,
                    undecided -> mailbox.execute(() -> onReply(attempt, undecided, true)));
        }

        private void onSynced(@Nullable Throwable failed, Confirmed before) {
            waits = false;
            if (failed != null) {
                failure = failed;
                backOff(parts.clock.now(), before);
            }
            lease.decide();
        }

        private Tenure.Attempt next(BoundedClock.Reading reading) {
            held += parts.rules.elapsed(counted, reading);
            counted = reading;
            long claim = parts.rules.claim(spec, held, lease.promise(held, reading.sent()));
            Tenure.Attempt attempt =
                    tenure.next(reading, held, claim, parts.rules.renewedExpiry(reading, claim, tenure), 0);
            inFlight = attempt.number();
            demanded = false;
            lag = reading.sent() - renewAt;
            alone = false;
            return attempt;
        }

        private RenewCommand command(String key, Tenure.Attempt attempt, VersionRange own) {
            long millis = LeaseSpec.millisForObservers(attempt.claim());
            return new RenewCommand(
                    key,
                    tenure.version(attempt.number()),
                    attempt.expiry(),
                    millis,
                    own,
                    parts.records.ofRenewal(tenure, attempt, lease.editsFor(attempt)));
        }

        private void onReply(Tenure.Attempt attempt, Reply reply, boolean isUndecided) {
            Confirmed before = lease.confirmed();
            if (before == null) {
                return; // lost or released in the meantime; nothing revives it (5.6)
            }
            if (inFlight == attempt.number()) {
                inFlight = 0;
                parts.notifier.renewalEnded(spec, reply, lag, before.remaining(reply.at()));
            }
            List<StoreReply.Refusal> refusals = reply.refusals(spec.items());
            if (isUndecided) {
                alone = true;
                hurry(reply.at());
            } else if (!refusals.isEmpty()) {
                onRefused(attempt, refusals, reply);
            } else if (reply.outcome() instanceof StoreReply.Applied) {
                confirm(attempt, reply);
            } else {
                failure = reply.failure().cause();
                backOff(reply.at(), before);
            }
            lease.decide();
        }

        /**
         * Handles a reply that came after the timeout had counted as a failure. A refusal without an item may come from
         * a batch.
         */
        private void onLateReply(Tenure.Attempt attempt, Reply reply) {
            if (!(reply.outcome() instanceof StoreReply.Failed)) {
                onReply(attempt, reply, reply.asksForSingle());
            }
        }

        private void onRefused(Tenure.Attempt attempt, List<StoreReply.Refusal> refusals, Reply reply) {
            StoreReply.Refusal lostBy = parts.rules.lostBy(tenure, refusals);
            if (lostBy != null) {
                lose(lostBy.item());
                return;
            }
            int number = parts.rules.newestShown(tenure, refusals);
            Tenure.Attempt confirmed = tenure.attempt(number);
            if (confirmed != null) {
                confirm(confirmed, reply);
            }
            if (number != attempt.number()) {
                hurry(reply.at());
            }
        }

        /** Ends the lease, because the table shows this item instead; {@code null}: the table has no item. */
        private void lose(@Nullable LeaseItem item) {
            if (item == null) {
                lease.lose(LeaseLossReason.REVOKED, ": its item is no longer in the table" + GOES_ON);
            } else if (Tenure.isOfAnother(item, tenure.largestToken())) {
                boolean known = item.version() == null || Tenure.tenureOf(item.version()) != null;
                String other = known ? "owner " + Text.quote(item.owner()) : "a client of another kind";
                lease.lose(LeaseLossReason.TAKEN, ": " + other + " has acquired it, token " + item.token());
            } else {
                lease.lose(LeaseLossReason.REVOKED, ": it was released by force" + GOES_ON);
            }
        }

        private void backOff(long now, Confirmed before) {
            failures++;
            renewAt = now + backoff(failures, before.remaining(now), spec, lease.isAwaited());
        }

        /** Confirms this attempt, because a reply showed that it was applied (5.5). */
        void confirm(Tenure.Attempt attempt, Reply reply) {
            if (tenure.attempt(attempt.number()) == null) {
                return; // a later attempt was confirmed before
            }
            tenure.forgetBefore(attempt);
            failures = 0;
            failure = null;
            // an acquire attempt after the granted attempt may be confirmed, too
            long heldFor = attempt.token() == 0 ? attempt.held() : attempt.sent() - acquired;
            long end = attempt.sent() - heldFor + spec.end(lease.promise(heldFor, attempt.sent()));
            Confirmed confirmed =
                    Confirmed.of(attempt, parts.rules.validUntil(attempt)).endingBy(end, true);
            renewAt = attempt.sent() + spec.heartbeatInterval() - jitter(spec, jitterShare);
            if (parts.requests.contradicts(attempt.reading(), reply)) {
                confirmed = confirmed.endingBy(parts.rules.validUntilExpiry(attempt, reply.at(), parts.clock), false);
                hurry(reply.at());
            }
            if (demanded || !parts.rules.isKnown(confirmed, parts.clock)) {
                hurry(reply.at());
            }
            lease.onConfirmed(attempt.number(), confirmed);
        }
    }
}
