package io.leasekit.kernel;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseLossReason;
import io.leasekit.internal.Internal;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
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
 * Renews leases (protocol 5.2, 5.5, 5.7). {@link Heartbeat} is an inner class, so that the heartbeats of all leases
 * share the fields of one renewer. DynamoDB may have applied an unanswered renewal, so the condition of the next
 * renewal also accepts its version.
 */
@Internal
public final class Renewer {

    private static final double MOST_JITTER = 0.1; // as a fraction of the heartbeat interval
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;
    // Callers wait for a renewal at least 2 s, so at least one retry is in time.
    private static final long MAX_AWAITED_BACKOFF = SECOND;
    private static final String GOES_ON = "; its work goes on until it checks the lease, is interrupted or ends";

    private final EngineParts parts;
    private final RenewalSchedule schedule;

    Renewer(EngineParts parts) {
        this.parts = parts;
        this.schedule = new RenewalSchedule(parts.time, parts.path.limiter());
    }

    Heartbeat of(LeaseState lease, Mailbox mailbox, Tenure tenure, BoundedClock.Reading acquired) {
        return new Heartbeat(lease, mailbox, tenure, acquired);
    }

    /** {@code share}: the fraction of the largest jitter, from 0 to 1. */
    private static long jitter(LeaseSpec spec, double share) {
        return (long) (spec.heartbeatInterval() * MOST_JITTER * share);
    }

    /** If the retry budget is used up, the delay is longer, except in the last third of the ttl. */
    private long backoff(int failures, long remaining, LeaseSpec spec, boolean awaited) {
        // The minimum keeps retries from becoming ever more frequent as the end of the lease approaches.
        long quarter = Math.max(remaining / 4, MIN_BACKOFF);
        long most = awaited ? Math.min(MAX_AWAITED_BACKOFF, spec.heartbeatInterval()) : spec.heartbeatInterval();
        long longest = Math.min(most, quarter);
        long cap = Math.min(MAX_BACKOFF, longest);
        return parts.rules.isUrgent(remaining, spec.ttl())
                ? Requests.backoff(failures, cap, parts.random)
                : parts.requests.retryDelay(failures, cap, longest);
    }

    /** Renews one lease, in steps that run one at a time in the mailbox of the lease. */
    final class Heartbeat {

        private final LeaseState lease;
        private final LeaseSpec spec;
        private final Mailbox mailbox;
        private final Tenure tenure;
        private final long acquired;
        private BoundedClock.Reading counted;
        // The time from the sending of the acquire to the sending of the last write (protocol 4.1).
        private long held;
        private long renewAt;
        private boolean waits; // whether a renewal waits for the request limiter or for a clock sample
        // Whether the next renewal is sent alone, because a batch did not show the outcome for this lease.
        private boolean alone;
        private int inFlight; // the attempt number of the renewal in flight, or 0 if none is in flight
        private boolean demanded; // whether another renewal must follow the renewal in flight
        private int failures;
        private @Nullable Throwable failure;
        private double jitterShare = parts.random.nextDouble();
        private long lag; // how late the renewal in flight was sent; only monitors use the value

        // The lock of the schedule guards the fields below.
        final long number = schedule.nextNumber();
        long due;
        long early;
        boolean isAsleep;

        private Heartbeat(LeaseState lease, Mailbox mailbox, Tenure tenure, BoundedClock.Reading granted) {
            this.lease = lease;
            this.spec = lease.spec;
            this.mailbox = mailbox;
            this.tenure = tenure;
            this.acquired = granted.sent();
            this.counted = granted;
        }

        /** A failed batch does not count if its renewals are sent again individually. */
        @Nullable
        Throwable failure() {
            return failure;
        }

        void hurry(long now) {
            renewAt = now;
        }

        void retrySoon(long now) {
            renewAt = Math.min(renewAt - now, MAX_AWAITED_BACKOFF) + now;
        }

        /** Sends a new renewal as soon as possible, or after the reply to a renewal in flight. */
        void demand(long now) {
            demanded = inFlight > 0;
            hurry(now);
        }

        int inFlight() {
            return inFlight;
        }

        long nanosUntilDue(long now) {
            return waits || inFlight > 0 ? Long.MAX_VALUE : renewAt - now;
        }

        /** Schedules the next {@link #wake} after {@code nanos}, or sooner if the next renewal is due. */
        void sleep(long now, long nanos) {
            long untilDue = nanosUntilDue(now);
            long next = Math.max(0, Math.min(nanos, untilDue));
            // Other wake-ups are for a warning, a stop request or the end of the lease.
            boolean forRenewal = next == untilDue;
            schedule.wakeAt(this, now + (forRenewal ? nanosUntilEarly(now) : next), now + next);
        }

        void stop() {
            schedule.forget(this);
        }

        /** {@code early}: the renewal is not due yet, but can share a batch with renewals of other leases. */
        void wake(boolean early) {
            mailbox.execute(() -> {
                if (early && isOrdinary() && nanosUntilEarly(parts.clock.now()) <= 0) {
                    hurry(parts.clock.now());
                }
                lease.decide();
            });
        }

        /** A renewal may join a batch before the renewal is due, by up to the largest jitter. */
        private long nanosUntilEarly(long now) {
            long untilDue = nanosUntilDue(now);
            return isOrdinary() ? untilDue - jitter(spec, 1) : untilDue;
        }

        private boolean isOrdinary() {
            return !waits && inFlight == 0 && failures == 0 && !spec.isGroup();
        }

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
         * Returns the sort key of waiting renewals: the monotonic end of the lease. A renewal that cannot postpone the
         * end of the lease is not urgent, so its key is one ttl later.
         */
        private long urgentBy(Confirmed before) {
            boolean moves = !before.isFinal() || spec.passive() || !parts.rules.isKnown(before, parts.clock);
            return moves ? before.until() : before.until() + spec.ttl();
        }

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
                    key, tenure.version(attempt.number()), attempt.expiry(), millis, own, lease.editsFor(attempt));
        }

        private void onReply(Tenure.Attempt attempt, Reply reply, boolean isUndecided) {
            Confirmed before = lease.confirmed();
            if (before == null) {
                return; // the lease was lost or released, and never becomes valid again (protocol 5.6)
            }
            if (inFlight == attempt.number()) {
                inFlight = 0;
                parts.reports.renewalEnded(spec, reply, lag, before.remaining(reply.at()));
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

        /** Protocol 5.5: a reply has shown that this attempt was applied. */
        void confirm(Tenure.Attempt attempt, Reply reply) {
            if (tenure.attempt(attempt.number()) == null) {
                return; // a reply has already confirmed a later attempt
            }
            tenure.forgetBefore(attempt);
            failures = 0;
            failure = null;
            // An attempt with a token is an acquire attempt, perhaps a later one than the granted attempt.
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
