package io.leasekit.engine;

import io.leasekit.LeasePause;
import io.leasekit.engine.Releases.Release;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Gate;
import io.leasekit.requests.Renewals;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.Refusal;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.SeenItems;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store for leases (protocol 5.1, 5.4, 5.5, 6). This class is shared by all acquires; {@link Series} is the
 * part of one acquire.
 */
final class Attempts {

    private final String owner;
    private final @Nullable String application;
    private final LeaseRules rules;
    private final BoundedClock clock;
    private final SeenItems seen;
    private final Renewals renewals;
    private final Watches watches;
    private final Register register;
    private final Asking.Waits waits;
    private final Reports reports;
    private final boolean pausing; // whether keys can be paused

    Attempts(
            LeaseSettings settings,
            LeaseRules rules,
            BoundedClock clock,
            SeenItems seen,
            Renewals renewals,
            Watches watches,
            Register register,
            Asking.Waits waits,
            Reports reports) {
        this.owner = settings.owner();
        this.application = settings.application();
        this.rules = rules;
        this.clock = clock;
        this.seen = seen;
        this.renewals = renewals;
        this.watches = watches;
        this.register = register;
        this.waits = waits;
        this.reports = reports;
        this.pausing = waits.pauses().isEnabled();
    }

    /** Returns the attempts of one acquire, not yet begun. All their steps run in the mailbox of that acquire. */
    Series of(Acquisition caller, LeaseTerms terms, Tenure tenure, Mailbox mailbox) {
        return new Series(caller, terms, tenure, mailbox);
    }

    private boolean isInTime(Tenure.Attempt attempt, long received) {
        return received - rules.grantedUntil(attempt.reading()) <= 0;
    }

    /** The attempts of one acquire, one in flight at a time, and the watch on the holder between them. */
    final class Series extends Asking {

        private final Acquisition caller;
        private final LeaseTerms terms;
        private final Tenure tenure;
        private final Watches.Watch watch;
        private boolean inFlight;
        private @Nullable Release predecessor;

        private Series(Acquisition caller, LeaseTerms terms, Tenure tenure, Mailbox mailbox) {
            super(caller, terms, mailbox, waits);
            this.caller = caller;
            this.terms = terms;
            this.tenure = tenure;
            this.watch = watches.of(caller, this, terms);
        }

        /** Begins by taking over from a tenure of this process that has ended. */
        void takeOver(Release over) {
            predecessor = over;
            if (over.isUnanswered()) {
                tenure.leaveUnanswered(); // its writes may still be applied
            }
            watch.standBack(beginAgain()); // the release gets its full time, however long the caller has waited
            attempt();
        }

        /** Begins with a look, because another owner was seen to hold the lease. */
        void beginByLooking() {
            watch.goOn();
        }

        /** Begins with a pause: this process has just had the lease, and others want it. */
        void beginLater(long pauseNanos) {
            watch.pause(pauseNanos);
        }

        /** Leaves a free lease to other processes until this time, or until one of them was seen to hold it. */
        void beginStandingBack(long until) {
            watch.standBackForOthers(until);
        }

        /** Returns the pending release of the predecessor; {@code null}: none. */
        @Nullable
        Release predecessor() {
            return predecessor;
        }

        boolean isInFlight() {
            return inFlight;
        }

        /** Asks for the lease when its turn has come. */
        void attempt() {
            boolean takesOver = predecessor != null;
            if (!takesOver && renewals.areLate(clock.now())) {
                onOverload(this::attempt);
            } else if (ready() != null) {
                ask(takesOver ? Gate.Kind.RELEASE : Gate.Kind.ACQUIRE, this::send);
            }
        }

        /** Returns the clock reading for an attempt; {@code null}: none may be sent now, and this acquire goes on later. */
        private BoundedClock.@Nullable Reading ready() {
            boolean heedsPauses = pausing && rules.heedsPauses(predecessor != null);
            BoundedClock.Reading reading = rules.beforeAcquire(clock);
            LeasePause pause = heedsPauses ? waits.pauses().pauseOf(terms.keys()) : null;
            if (heedsPauses && waits.pauses().isOld()) {
                awaitPauses(this::attempt);
            } else if (reading == null) {
                awaitSample(this::attempt);
            } else if (pause != null) {
                onPaused(pause);
            } else {
                return reading;
            }
            return null;
        }

        /** Ends this acquire, or waits. A lease that it was to take over is released instead. */
        private void onPaused(LeasePause pause) {
            long now = clock.now();
            long left = (terms.permit() == null ? caller.waitsUntil() : caller.persistsUntil()) - now;
            if (left <= 0) {
                caller.finish(new AcquireCall.Unavailable(null, pause));
                return;
            }
            Release over = predecessor;
            if (over != null) {
                predecessor = null;
                register.send(over);
            }
            caller.onPaused(pause, now);
            after(Math.min(left, waits.pauses().nanosUntilNext(pause)), this::attempt);
        }

        private void send(Requests.Outgoing request) {
            BoundedClock.Reading reading = ready();
            if (reading == null) {
                return;
            }
            VersionRange own = rules.ownBeforeAcquire(tenure);
            long token = rules.token(reading, Math.max(tenure.largestToken(), seen.largestToken(terms.items())));
            terms.items().forEach(key -> seen.sentToken(key, token));
            forgetBefore(reading.sent());
            long term = rules.term(terms, 0, terms.firstPromise());
            Tenure.Attempt attempt = tenure.next(reading, 0, term, rules.expiry(reading.latest(), term, token), token);
            inFlight = true;
            request.write(
                    LeaseTerms.forEach(terms.items(), key -> command(key, attempt, own)),
                    new Requests.Pending(
                            reading,
                            rules.grantedUntil(reading) - reading.sent(),
                            reply -> receive(() -> onReply(attempt, reply))));
        }

        private AcquireCommand command(String key, Tenure.Attempt attempt, @Nullable VersionRange own) {
            BoundedClock.Reading reading = attempt.reading();
            return new AcquireCommand(
                    key,
                    tenure.version(attempt.number()),
                    attempt.expiry(),
                    LeaseTerms.millisForObservers(attempt.term()),
                    attempt.token(),
                    owner,
                    reading.middleMillis(),
                    rules.freeBelow(reading),
                    watch.deadVersion(key, reading.sent()),
                    own,
                    predecessor == null ? null : predecessor.versions(),
                    terms.onceOf(key),
                    terms.permits(),
                    application);
        }

        private void onReply(Tenure.Attempt attempt, Reply reply) {
            inFlight = false;
            watch.looked(reply);
            if (reply.outcome().resent()) {
                tenure.leaveUnanswered();
            }
            List<Refusal> refusals = reply.refusals(terms.items());
            if (!caller.isRunning()) {
                caller.onAnsweredInVain(reply.outcome());
            } else if (!refusals.isEmpty()) {
                onRefused(attempt, refusals, reply);
            } else if (reply.outcome() instanceof StoreReply.Applied applied) {
                tenure.sawRun(applied);
                onTakenOver(applied.heldBefore(), attempt.token());
                onWritten(attempt, attempt, attempt.token(), applied.waitingSinceMillis() != null, reply);
            } else {
                StoreReply.Failed failed = reply.failure();
                if (failed.kind() == StoreReply.FailureKind.UNKNOWN) {
                    tenure.leaveUnanswered();
                }
                onFailed(failed, this::attempt);
            }
        }

        /** Reports that this write has overwritten the lease of another owner that was neither released nor renewed. */
        private void onTakenOver(@Nullable LeaseItem before, long token) {
            if (before != null
                    && Tenure.isOfAHolder(before.version())
                    && before.releasedAtMillis() == null // else a hold
                    && rules.numberOf(tenure, before.version()) == 0
                    && !seen.isEnded(String.valueOf(before.version()))) {
                reports.tookOver(terms, before, token);
            }
        }

        /** Takes in that a write of this tenure was applied: a grant if the reply met the deadline (5.5). */
        private void onWritten(
                Tenure.Attempt written, Tenure.Attempt answered, long itsToken, boolean waitedFor, Reply reply) {
            // the monotonic clock may have stopped during a jump, so the deadline may have passed
            boolean sameEpoch = written.reading().epoch() == clock.epoch();
            if (sameEpoch && isInTime(written, reply.at())) {
                boolean handedOver = predecessor != null;
                forgetPredecessor();
                watch.granted(reply.at());
                caller.onGranted(
                        new Tenure.Grant(
                                written, itsToken, written.number() != answered.number(), handedOver, waitedFor),
                        reply);
            } else {
                tenure.leaveUnanswered();
                watch.attemptAtOnce();
            }
        }

        private void onRefused(Tenure.Attempt answered, List<Refusal> refusals, Reply reply) {
            onAnswered();
            int shown = rules.newestShown(tenure, refusals);
            Tenure.Attempt written = tenure.attempt(shown);
            LeaseItem item = shown == 0 ? refusals.get(0).item() : itemOf(shown, refusals);
            tenure.sawRun(item);
            if (item != null && written != null && item.token() != null) {
                onWritten(written, answered, item.token(), item.waitingSinceMillis() != null, reply);
            } else if (shown != 0 && written == null) {
                tenure.leaveUnanswered(); // this attempt is too old for a grant; the next one overwrites it
                watch.attemptAtOnce();
            } else {
                if (predecessor != null && !predecessor.isShownBy(item)) {
                    forgetPredecessor(); // its lease is gone: continue as an ordinary acquire
                }
                if (refusals.stream().anyMatch(refusal -> rules.numberOf(tenure, refusal.version()) != 0)) {
                    tenure.leaveUnanswered(); // an applied copy is not a grant
                }
                watch.refusedBy(refusals, reply);
            }
        }

        private @Nullable LeaseItem itemOf(int number, List<Refusal> refusals) {
            return refusals.stream()
                    .filter(refusal -> rules.numberOf(tenure, refusal.version()) == number)
                    .map(Refusal::item)
                    .findFirst()
                    .orElse(null);
        }

        /** Forgets the attempts that are too old for a grant: whatever shows one of them, the lease is asked for again. */
        void forgetBefore(long now) {
            tenure.forgetWhile(earlier -> !isInTime(earlier, now));
        }

        private void forgetPredecessor() {
            Release over = predecessor;
            if (over != null) {
                predecessor = null;
                over.done().complete(null);
            }
        }

        /** Looks now instead of later, because another caller waits for the outcome. */
        void hurry() {
            if (mayHurry() && watch.mayHurry(clock.now())) {
                endPause();
            }
        }
    }
}
