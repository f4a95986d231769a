package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one acquire: attempts while the lease may be free, reads and one mark while another holds it (protocol 5.1,
 * 5.4, 5.5, 6). One is in flight at a time. What comes of them, the acquire decides. Lives in the acquire's mailbox.
 */
final class Attempts {

    private static final long MAX_BACKOFF = SECOND;
    private static final int MAX_AT_ONCE = 4;

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Mailbox mailbox;
    private final Tenure tenure;
    private final Acquisition acquisition;
    private final Holders holders;
    private String polled; // what the next one is about
    private Polling polling;
    private long begun; // from when on the store is given its time
    private long standBackUntil;
    private EngineTime.@Nullable Timer timer;
    private @Nullable Runnable pending; // what the timer waits for
    private int pauses; // each timer's number: one that was cancelled too late does nothing
    private boolean inFlight;
    private int failures;
    private int atOnce;
    private @Nullable HandOver predecessor;

    Attempts(LeaseEngine engine, LeaseTerms terms, Mailbox mailbox, Tenure tenure, Acquisition acquisition) {
        this.engine = engine;
        this.terms = terms;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.acquisition = acquisition;
        this.holders = new Holders(engine, terms.keys());
        this.polled = terms.key();
        this.polling = new Polling(engine, polled, acquisition.called());
    }

    // ---- how it begins

    void begin() {
        begin(acquisition.called());
    }

    private void begin(long patientFrom) {
        begun = patientFrom;
        standBackUntil = patientFrom;
        attempt();
    }

    /** Begins as one that waits, because another was seen to hold the lease. */
    void beginByLooking() {
        begun = acquisition.called();
        standBackUntil = begun;
        poll();
    }

    /** Begins with a pause: this process has just had the lease, and others want it. */
    void beginLater(long pauseNanos) {
        begun = acquisition.called();
        standBackUntil = engine.clock.now();
        after(Math.min(pauseNanos, Math.max(0, acquisition.waitsUntil() - standBackUntil)), this::poll);
    }

    /** Begins by leaving a free lease to other processes, until one of them was seen to have it or this time is over. */
    void beginStandingBack(long until) {
        begun = acquisition.called();
        standBackUntil = until;
        polling.markAtOnce();
        after(polling.delayNanos(null, engine.clock.now()), this::poll);
    }

    /** Begins by taking over from a tenure of this process that is over. */
    void begin(HandOver over) {
        predecessor = over;
        if (over.tenure().isUnanswered()) {
            tenure.leaveUnanswered(); // what it sent may still turn up
        }
        begin(engine.clock.now()); // a release has to be done, however long its caller has waited
    }

    /** Returns the tenure whose lease is still to be released, {@code null} if there is none. */
    @Nullable
    HandOver predecessor() {
        return predecessor;
    }

    boolean isInFlight() {
        return inFlight;
    }

    // ---- attempts

    private void attempt() {
        BoundedClock.Reading reading = engine.rules.beforeAcquire(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(terms.key(), failure -> mailbox.execute(() -> onSynced(failure)));
        } else {
            send(reading);
        }
    }

    private void onSynced(@Nullable LeaseStoreException failure) {
        if (!acquisition.isRunning()) {
            return;
        }
        if (failure == null) {
            attempt();
        } else {
            tryLater(failure, this::attempt);
        }
    }

    private void send(BoundedClock.Reading reading) {
        VersionRange own = engine.rules.ownBeforeAcquire(tenure);
        long token = engine.rules.token(reading, Math.max(tenure.largestToken(), largestSeenToken()));
        terms.keys().forEach(key -> engine.observations.sentToken(key, token));
        tenure.forgetWhile(earlier -> !engine.rules.isGrantedInTime(earlier, reading.sent())); // no grant any more
        Tenure.Attempt attempt = tenure.next(reading, engine.rules.expiry(reading.latest(), terms.ttl(), token), token);
        inFlight = true;
        List<AcquireCommand> commands = LeaseTerms.forEach(terms.keys(), key -> command(key, attempt, own));
        engine.requests.send(
                reading,
                engine.rules.acquireTimeout(),
                engine.requests.write(commands),
                reply -> mailbox.execute(() -> onReply(attempt, reply)));
    }

    private long largestSeenToken() {
        long largest = 0;
        for (String key : terms.keys()) {
            largest = Math.max(largest, engine.observations.largestToken(key));
        }
        return largest;
    }

    private AcquireCommand command(String key, Tenure.Attempt attempt, @Nullable VersionRange own) {
        BoundedClock.Reading reading = attempt.reading();
        return new AcquireCommand(
                key,
                tenure.version(attempt.number()),
                attempt.expiry(),
                terms.ttl() / MILLI,
                attempt.token(),
                engine.settings.owner(),
                reading.middleMillis(),
                engine.rules.freeBelow(reading),
                holders.deadVersion(key, reading.sent()),
                own,
                predecessor == null ? null : engine.rules.predecessorBeforeAcquire(predecessor.versions()),
                terms.onceOf(key));
    }

    private void onReply(Tenure.Attempt attempt, Reply reply) {
        inFlight = false;
        polling.looked(reply);
        if (reply.outcome().resent()) {
            tenure.leaveUnanswered();
        }
        List<StoreReply.Refusal> refusals = reply.refusals(terms.keys());
        if (!acquisition.isRunning()) {
            acquisition.onAnsweredInVain(reply.outcome());
        } else if (!refusals.isEmpty()) {
            onRefused(attempt, refusals, reply);
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            if (failed.kind() == StoreReply.FailureKind.UNKNOWN) {
                tenure.leaveUnanswered();
            }
            onFailed(failed, this::attempt);
        } else {
            boolean waitedFor =
                    reply.outcome() instanceof StoreReply.Applied applied && applied.waitingSinceMillis() != null;
            tenure.sawRun(reply.outcome());
            onWritten(attempt, attempt, attempt.token(), waitedFor, reply);
        }
    }

    /** The table shows, or showed, a write of this tenure: a grant if it came before its deadline (5.5). */
    private void onWritten(
            Tenure.Attempt written, Tenure.Attempt answered, long itsToken, boolean waitedFor, Reply reply) {
        // after a jump the monotonic clock may have stood still: the deadline is not known to be kept
        boolean sameEpoch = written.reading().epoch() == engine.clock.epoch();
        if (sameEpoch && engine.rules.isGrantedInTime(written, reply.at())) {
            HandOver from = predecessor;
            forgetPredecessor();
            polling.granted(reply.at());
            acquisition.grant(
                    new Grant(written, itsToken, written.number() != answered.number(), from != null, waitedFor),
                    reply);
        } else {
            tenure.leaveUnanswered();
            tryAtOnce();
        }
    }

    private void onRefused(Tenure.Attempt answered, List<StoreReply.Refusal> refusals, Reply reply) {
        failures = 0;
        int shown = engine.rules.newestShown(tenure, terms.keys(), refusals);
        Tenure.Attempt written = shown == 0 ? null : engine.rules.confirmed(tenure, shown, answered.number());
        LeaseItem item = shown == 0 ? refusals.get(0).item() : itemOf(shown, refusals);
        tenure.sawRun(item);
        if (item != null && written != null && item.token() != null) {
            onWritten(written, answered, item.token(), item.waitingSinceMillis() != null, reply);
        } else if (shown != 0 && written == null) {
            tenure.leaveUnanswered(); // of an attempt that is too old for a grant: the next one overwrites it
            tryAtOnce();
        } else {
            if (predecessor != null && !shows(predecessor.versions(), item)) {
                forgetPredecessor(); // its lease is gone: from here on this is an acquire like any other
            }
            if (refusals.stream().anyMatch(refusal -> engine.rules.numberOf(tenure, refusal.version()) != 0)) {
                tenure.leaveUnanswered(); // a copy was applied that is no grant
            }
            holders.refusedBy(refusals);
            onOthers(reply);
        }
    }

    private @Nullable LeaseItem itemOf(int number, List<StoreReply.Refusal> refusals) {
        return refusals.stream()
                .filter(refusal -> engine.rules.numberOf(tenure, refusal.version()) == number)
                .findFirst()
                .map(StoreReply.Refusal::item)
                .orElse(null);
    }

    private static boolean shows(VersionRange versions, @Nullable LeaseItem item) {
        return item != null && item.version() != null && versions.contains(item.version());
    }

    private void forgetPredecessor() {
        HandOver over = predecessor;
        if (over != null) {
            predecessor = null;
            over.released().complete(null);
        }
    }

    // ---- another's

    private void onOthers(Reply reply) {
        long now = reply.at();
        boolean mayBeTaken = holders.allMayBeTaken(now);
        LeaseItem item = holders.holder();
        LeaseItem done = terms.once() == null ? null : holders.doneRun(terms.runKey(), terms.once());
        if (done != null) {
            acquisition.finish(new AcquireResult.AlreadyRan(engine.inspection.info(done, now)));
        } else if (!polled.equals(holders.watched())) {
            turnToAnotherKey(reply);
        } else {
            polling.saw(item, now);
            onOthers(mayBeTaken, item, reply);
        }
    }

    private void onOthers(boolean mayBeTaken, @Nullable LeaseItem item, Reply reply) {
        long now = reply.at();
        if (mayBeTaken && now - standBackUntil < 0) {
            lookAgain(item, now);
        } else if (mayBeTaken && atOnce < MAX_AT_ONCE) {
            tryAtOnce();
        } else if (acquisition.waitsUntil() - now <= 0) {
            acquisition.finish(new AcquireResult.Unavailable(item == null ? null : engine.inspection.info(item, now)));
        } else {
            atOnce = 0;
            standBackUntil = now;
            acquisition.onOthers(item, reply.sent());
            if (polling.shouldMark(item)) {
                mark(item, reply);
            } else {
                lookAgain(item, now);
            }
        }
    }

    /** Of several keys another one is in the way than before; after a read of the other it was last seen some time ago. */
    private void turnToAnotherKey(Reply reply) {
        polled = holders.watched();
        polling = new Polling(engine, polled, reply.at());
        if (reply.outcome() instanceof StoreReply.Found) {
            poll();
        } else {
            onOthers(reply);
        }
    }

    private void lookAgain(@Nullable LeaseItem item, long now) {
        after(Math.min(polling.delayNanos(item, now), Math.max(0, acquisition.waitsUntil() - now)), this::poll);
    }

    /** The next look at the lease, or the next attempt where looks come too late (6). */
    private void poll() {
        long now = engine.clock.now();
        if (!terms.isGroup() && now - standBackUntil >= 0 && polling.asksAtOnce(now)) {
            attempt();
        } else {
            look();
        }
    }

    private void look() {
        engine.requests.read(holders.watched(), reply -> mailbox.execute(() -> onPolled(reply)));
    }

    private void onPolled(Reply reply) {
        if (!acquisition.isRunning()) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Found found) {
            failures = 0;
            polling.looked(reply);
            onSeen(found.item(), reply);
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed, this::poll);
        }
    }

    private void onSeen(@Nullable LeaseItem item, Reply reply) {
        holders.saw(item);
        onOthers(reply);
    }

    /** Tells the holder that another process waits: it hands the lease on within its own no more for long (6). */
    private void mark(@Nullable LeaseItem item, Reply seen) {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            lookAgain(item, seen.at());
            return;
        }
        MarkCommand command = new MarkCommand(holders.watched(), reading.middleMillis());
        engine.requests.send(
                reading,
                Requests.TIMEOUT,
                timeout -> engine.store.write(command, timeout),
                reply -> mailbox.execute(() -> onMarked(item, reply)));
    }

    private void onMarked(@Nullable LeaseItem item, Reply reply) {
        if (!acquisition.isRunning()) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Refused refused) {
            onSeen(refused.item(), reply);
        } else {
            lookAgain(item, reply.at()); // a mark that failed is left to the next look
        }
    }

    /** Looks now, where it would have looked later: somebody wants to know. */
    void hurry() {
        if (failures == 0 && standBackUntil - engine.clock.now() <= 0) {
            goOn();
        }
    }

    // ---- failures

    private void onFailed(StoreReply.Failed failed, Runnable again) {
        LeaseStoreException error = engine.requests.error(terms.keys(), failed.cause());
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            acquisition.finish(new AcquireResult.Failed(error));
        } else {
            tryLater(error, again);
        }
    }

    private void tryAtOnce() {
        atOnce++;
        attempt();
    }

    private void tryLater(LeaseStoreException error, Runnable again) {
        failures++;
        acquisition.onFailing(error);
        long delay = Backoff.delayNanos(failures, MAX_BACKOFF, engine.random);
        long then = engine.clock.now() + delay;
        boolean patient = acquisition.waitsUntil() - then >= 0
                || then - begun <= LeaseTerms.nanos(engine.settings.storeTimeout());
        if (patient) {
            after(delay, again);
        } else {
            acquisition.finish(new AcquireResult.Failed(error));
        }
    }

    // ---- time

    private void after(long delayNanos, Runnable step) {
        int pause = ++pauses;
        pending = step;
        timer = engine.time.schedule(
                delayNanos,
                () -> mailbox.execute(() -> {
                    if (pauses == pause) {
                        goOn();
                    }
                }));
    }

    private void goOn() {
        Runnable step = pending;
        cancelTimer();
        if (step != null) {
            step.run();
        }
    }

    /** Nothing begins by itself any more; what is in flight will be answered. */
    void cancelTimer() {
        pauses++;
        pending = null;
        if (timer != null) {
            timer.cancel();
        }
    }
}
