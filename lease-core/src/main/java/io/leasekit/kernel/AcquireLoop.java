package io.leasekit.kernel;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.observe.Polling;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Gate;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.requests.Requests.Reply;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.Records;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreReply.Refusal;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Mailbox.WaitingStep;
import io.leasekit.time.EngineTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one acquire until the result is known (protocol 4.2, 4.3, 5.1, 5.4, 5.5, 6, 8). All steps of
 * the loop run in the mailbox of the {@link Acquisition}. All state is in one object, to save memory when thousands of
 * acquires wait.
 *
 * <pre>
 * ask        sends one attempt; before that, waits for the gate and the request limiter
 * refused    decides whether to ask again at once, to wait, or to end
 * look       reads the next blocking key, or marks it as waited for; then decides again
 * wait       until the next look, the end of a pause, or the next retry after a failure
 * </pre>
 *
 * <p>For several keys, the loop reads the keys of other owners one by one before it tries all keys again.
 */
@Internal
public final class AcquireLoop extends SeenItems {

    private static final long MAX_BACKOFF = SECOND;
    // The number of successive conflicts that ends a call for several keys without a remaining wait.
    private static final int CONFLICTS = 3;
    private static final int MAX_AT_ONCE = 4; // after so many attempts without a wait, a free lease counts as held

    private final Acquisition acquisition;
    private final Mailbox mailbox;
    private boolean inFlight;
    private boolean hurried; // whether another caller has called hurry() since the last read
    private @Nullable Release predecessor;
    private List<String> inTheWay = List.of();
    private String next;
    // The pace of the reads of the key 'next'; decide() replaces the pace when 'next' has changed.
    private Polling.Pace pace;
    // The monotonic time until which this acquire leaves a free lease to other processes.
    private long standBackUntil;
    private int atOnce; // attempts since the last wait for an owner

    private long begun; // the start of the store timeout
    // The step that waits for the request limiter, the pauses or a clock sample.
    private @Nullable WaitingStep<?> wait;
    private EngineTime.@Nullable Timer timer;
    private @Nullable Runnable pending;
    private int delays; // numbers the timers, so that a timer that was cancelled too late does nothing
    private int failures;
    private int conflicts;
    private long givenUp;

    /**
     * The result of a read that the {@link Gate} requires before an attempt. {@code rejected}: whether a retry of the
     * read would be rejected, too.
     */
    private record Read(@Nullable LeaseStoreException failure, boolean rejected) {}

    AcquireLoop(Acquisition acquisition, LeaseSpec spec, Tenure tenure, Mailbox mailbox, EngineParts parts) {
        super(spec, tenure, parts);
        this.acquisition = acquisition;
        this.mailbox = mailbox;
        this.begun = acquisition.called();
        this.next = spec.item();
        this.standBackUntil = begun;
        this.pace = parts.polling.of(next, begun);
    }

    // ---- the beginning

    /** The first attempt of this acquire replaces the release of the other caller's lease. */
    void beginByHandOver(Release over) {
        predecessor = over;
        if (over.isUnanswered()) {
            tenure.leaveUnanswered(); // writes of the predecessor may still be applied
        }
        // The store timeout starts now, so that the release gets its full time.
        begun = parts.clock.now();
        ask();
    }

    public void beginKnowing(@Nullable Observation seen) {
        if (seen != null) {
            show(seen);
        }
        ask();
    }

    /** Starts with a read after {@code nanos}, so that waiters of other processes get the lease first. */
    void beginLater(long nanos) {
        after(Math.min(nanos, Math.max(0, acquisition.waitsUntil() - parts.clock.now())), this::look);
    }

    /** Leaves a free lease to other processes until {@code until}, or until a reply shows another owner. */
    void beginStandingBack(long until) {
        standBackUntil = until;
        pace.markAtOnce();
        lookLater(parts.clock.now());
    }

    // ---- ask

    void ask() {
        boolean isHandOver = predecessor != null;
        if (parts.rules.mayAsk(isHandOver, parts.path.limiter().areLate(parts.clock.now()))) {
            ifOpen(reading ->
                    inTurn(isHandOver ? RequestLimiter.Kind.RELEASE : RequestLimiter.Kind.ACQUIRE, this::onTurn));
        } else {
            onOverload();
        }
    }

    private void onTurn(Requests.Outgoing request) {
        // The gate is asked again: the clock or the pauses may have changed during the wait for the request limiter.
        ifOpen(reading -> send(request, reading));
    }

    private void send(Requests.Outgoing request, BoundedClock.Reading reading) {
        VersionRange own = parts.rules.ownBeforeAcquire(tenure);
        long token =
                parts.rules.token(reading, Math.max(tenure.largestToken(), parts.observer.largestToken(spec.items())));
        spec.items().forEach(key -> parts.observer.sentToken(key, token));
        forgetBefore(reading.sent());
        parts.records.beforeAcquire(spec, tenure, shown());
        long claim = parts.rules.claim(spec, 0, spec.firstPromise());
        Tenure.Attempt attempt =
                tenure.next(reading, 0, claim, parts.rules.expiry(reading.latest(), claim, token), token);
        inFlight = true;
        request.write(
                LeaseSpec.forEach(spec.items(), key -> command(key, attempt, own)),
                new Requests.Pending(
                        reading,
                        parts.rules.grantedUntil(reading) - reading.sent(),
                        reply -> receive(() -> onReply(attempt, reply))));
    }

    private AcquireCommand command(String key, Tenure.Attempt attempt, @Nullable VersionRange own) {
        BoundedClock.Reading reading = attempt.reading();
        return new AcquireCommand(
                key,
                tenure.version(attempt.number()),
                attempt.expiry(),
                LeaseSpec.millisForObservers(attempt.claim()),
                attempt.token(),
                parts.settings.owner(),
                reading.middleMillis(),
                leavesExpired() ? null : parts.rules.freeBelow(reading),
                parts.observer.deadVersion(observationOf(key), reading.sent()),
                own,
                predecessor == null ? null : predecessor.versions(),
                parts.records.ofAcquire(spec, key, tenure, attempt));
    }

    /**
     * Protocol 6.4: only the second attempt for several keys overwrites expired leases. A refusal shows the expired
     * leases, but the reply to a granted transaction does not. With a hold or cooldown, an expired item usually shows
     * the end of a hold, so a second attempt is not worth its cost.
     */
    private boolean leavesExpired() {
        return spec.isGroup() && shown().isEmpty() && spec.cooldown() == 0 && spec.holdAtLeast() == 0;
    }

    private void onReply(Tenure.Attempt attempt, Reply reply) {
        inFlight = false;
        pace.requestEnded(reply.at() - reply.sent());
        List<Refusal> refusals = reply.refusals(spec.items());
        if (reply.outcome().resent() || (!acquisition.isRunning() && isAnyOwn(refusals))) {
            tenure.leaveUnanswered();
        }
        // A cancelled acquire notes the takeover, too: its release may write a dead holder's run.
        noteTakenOver(reply);
        if (!acquisition.isRunning()) {
            acquisition.onAnsweredInVain(reply.outcome());
        } else if (!refusals.isEmpty()) {
            onRefused(attempt, refusals, reply);
        } else if (reply.outcome() instanceof StoreReply.Applied applied) {
            reportTakenOver(applied, attempt.token());
            onWritten(attempt, attempt, attempt.token(), applied.waitingSinceMillis() != null, reply);
        } else {
            StoreReply.Failed failed = reply.failure();
            if (failed.kind() == StoreReply.FailureKind.UNKNOWN) {
                tenure.leaveUnanswered();
            }
            onFailed(failed, this::ask);
        }
    }

    /** Protocol 5.5: the attempt is a grant only if this reply arrived within 2 s after the attempt was sent. */
    private void onWritten(
            Tenure.Attempt written, Tenure.Attempt answered, long itsToken, boolean waitedFor, Reply reply) {
        if (parts.rules.isGrant(written, reply.at(), parts.clock)) {
            boolean handedOverDespiteWaiters = predecessor != null && waitedFor;
            forgetPredecessor();
            pace.granted(reply.at());
            acquisition.onGranted(
                    new Tenure.Grant(
                            written, itsToken, written.number() != answered.number(), handedOverDespiteWaiters),
                    reply);
        } else {
            tenure.leaveUnanswered();
            askAtOnce();
        }
    }

    private void askAtOnce() {
        atOnce++;
        ask();
    }

    /** Drops attempts that are too old to become grants. */
    private void forgetBefore(long now) {
        tenure.forgetWhile(earlier -> !parts.rules.isInTime(earlier, now));
    }

    private void forgetPredecessor() {
        Release over = predecessor;
        if (over != null) {
            predecessor = null;
            over.done().complete(null);
        }
    }

    // ---- refused

    /** Protocol 5.5: a refusal may show that an earlier attempt was applied and is a grant. */
    private void onRefused(Tenure.Attempt answered, List<Refusal> refusals, Reply reply) {
        onAnswered();
        int number = parts.rules.newestShown(tenure, refusals);
        Tenure.Attempt written = tenure.attempt(number);
        LeaseItem item = number == 0 ? refusals.get(0).item() : itemOf(number, refusals);
        parts.records.saw(tenure, item == null ? Records.NONE : item.records());
        if (item != null && written != null && item.token() != null) {
            onWritten(written, answered, item.token(), item.waitingSinceMillis() != null, reply);
        } else if (number != 0 && written == null) {
            tenure.leaveUnanswered(); // the shown attempt is too old for a grant; the next attempt overwrites it
            askAtOnce();
        } else {
            if (predecessor != null && !predecessor.isShownBy(item)) {
                forgetPredecessor(); // the lease to hand over is gone, so this acquire continues as an ordinary one
            }
            if (isAnyOwn(refusals)) {
                // An item shows a late copy of an own attempt, which is not a grant.
                tenure.leaveUnanswered();
            }
            refusals.forEach(refusal -> show(refusal.key(), refusal.item(), reply));
            inTheWay = refusals.size() == spec.items().size()
                    ? spec.items()
                    : refusals.stream().map(Refusal::key).toList();
            next = inTheWay.get(0);
            decide(reply);
        }
    }

    private void decide(Reply reply) {
        long now = reply.at();
        boolean mayBeTaken = allMayBeTaken(now);
        LeaseItem item = shown(next);
        LeaseItem run = shown(spec.runKey());
        boolean moved = !pace.key().equals(next);
        if (moved) {
            pace = parts.polling.of(next, now);
        }
        if (run != null && parts.records.isDone(spec, run)) {
            acquisition.onAlreadyRan(run, now);
        } else if (moved && reply.outcome() instanceof StoreReply.Found) {
            look(); // another key blocks now, and its last read may be old
        } else {
            pace.saw(item, now);
            decide(mayBeTaken, item, reply);
        }
    }

    private void decide(boolean mayBeTaken, @Nullable LeaseItem item, Reply reply) {
        long now = reply.at();
        if (!mayBeTaken && item != null) {
            parts.records.onHeldByOther(spec.keys().contains(next) ? next : spec.key(), item);
        }
        if (mayBeTaken && now - standBackUntil < 0 && acquisition.waitsUntil() - now > 0) {
            lookLater(now);
        } else if (mayBeTaken && atOnce < MAX_AT_ONCE) {
            askAtOnce();
        } else if (acquisition.waitsUntil() - now <= 0) {
            acquisition.refuse(item, reply.sent(), now);
        } else {
            atOnce = 0;
            standBackUntil = now;
            acquisition.onHeldByOther(item, reply.sent());
            if (pace.shouldMark(item)) {
                mark(now);
            } else {
                lookLater(now);
            }
        }
    }

    /** Also selects the first item that another owner holds as the next item to read. */
    private boolean allMayBeTaken(long now) {
        while (!inTheWay.isEmpty() && mayBeTaken(inTheWay.get(0), now)) {
            inTheWay = List.copyOf(inTheWay.subList(1, inTheWay.size()));
        }
        if (!inTheWay.isEmpty()) {
            next = inTheWay.get(0);
        }
        return inTheWay.isEmpty();
    }

    // ---- look

    private void lookLater(long now) {
        long delay = pace.delayNanos(now, parts.observer.untilEnd(observationOf(next), now));
        after(Math.min(delay, Math.max(0, acquisition.waitsUntil() - now)), this::look);
    }

    /** Protocol 6.3: sends an attempt instead of a read if other processes get the lease before a read could help. */
    void look() {
        long now = parts.clock.now();
        hurried = false;
        if (!spec.isGroup() && now - standBackUntil >= 0 && pace.asksAtOnce(now)) {
            ask();
        } else {
            inTurn(RequestLimiter.Kind.LOOK, request -> request.read(next, reply -> receive(() -> onLooked(reply))));
        }
    }

    private void onLooked(Reply reply) {
        if (!acquisition.isRunning()) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Found found) {
            onAnswered();
            forgetBefore(reply.at());
            pace.requestEnded(reply.at() - reply.sent());
            saw(found.item(), reply);
        } else {
            onFailed(reply.failure(), this::look);
        }
    }

    private void saw(@Nullable LeaseItem item, Reply reply) {
        show(next, item, reply);
        if (!inTheWay.contains(next)) {
            List<String> withIt = new ArrayList<>(List.of(next));
            withIt.addAll(inTheWay);
            inTheWay = List.copyOf(withIt);
        }
        decide(reply);
    }

    /** Reads the item now instead of later, because another caller waits for the result of this acquire. */
    void hurry() {
        hurried = true;
        if (failures == 0 && wait == null && standBackUntil - parts.clock.now() <= 0) {
            runPending();
        }
    }

    /** Setting {@code waiting_since} makes the holder's process stop its hand-overs soon (protocol 6.3). */
    private void mark(long seen) {
        inTurn(RequestLimiter.Kind.LOOK, request -> {
            BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
            if (reading == null) {
                lookLater(seen);
            } else {
                request.write(
                        List.of(new MarkCommand(next, reading.middleMillis())),
                        new Requests.Pending(reading, reply -> receive(() -> onMarked(reply))));
            }
        });
    }

    private void onMarked(Reply reply) {
        if (!acquisition.isRunning()) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Refused refused) {
            saw(refused.item(), reply);
        } else if (hurried) {
            look(); // the reply to a mark shows no item
        } else {
            lookLater(reply.at());
        }
    }

    // ---- wait for the gate and the request limiter

    private void ifOpen(Consumer<BoundedClock.Reading> step) {
        Gate.Answer answer = parts.gate.ask(spec.keys(), spec.item());
        if (answer instanceof Gate.Open open) {
            step.accept(open.reading());
        } else if (answer instanceof Gate.Unread unread) {
            await(unread);
        } else if (answer instanceof Gate.Paused paused) {
            onPaused(paused);
        }
    }

    private void await(Gate.Unread unread) {
        WaitingStep<Read> read = beginWait(this::onRead);
        unread.read().accept((failure, rejected) -> read.pass(new Read(failure, rejected)));
        limitWait();
    }

    private void onRead(Read read) {
        if (read.failure == null) {
            ask();
        } else if (read.rejected) {
            acquisition.finish(new AcquireCall.Failed(read.failure));
        } else {
            tryLater(read.failure, this::ask);
        }
    }

    private void onPaused(Gate.Paused paused) {
        long now = parts.clock.now();
        // A permit's acquire does not wait for other owners, but waits for the end of a pause like its caller.
        long left = acquisition.persistsUntil() - now;
        if (left <= 0) {
            acquisition.finish(new AcquireCall.Unavailable(null, paused.pause()));
            return;
        }
        Release over = predecessor;
        if (over != null) {
            predecessor = null;
            parts.releases.send(over);
        }
        acquisition.onPaused(paused.pause(), now);
        after(Math.min(left, paused.nanos()), this::ask);
    }

    private void onOverload() {
        LeaseStoreException error = parts.unsent(
                spec.keys(),
                "Renewals of leases that this process holds wait for so long that a new lease could not be"
                        + " renewed in time");
        if (spec.patience() > 0) {
            tryLater(error, this::ask);
        } else {
            acquisition.finish(new AcquireCall.Failed(error));
        }
    }

    private void inTurn(RequestLimiter.Kind kind, Consumer<Requests.Outgoing> step) {
        WaitingStep<Requests.Outgoing> turn = beginWait(step);
        parts.requests.inTurn(kind, turn, acquisition.sending(), turn);
        limitWait();
    }

    private <T> WaitingStep<T> beginWait(Consumer<T> step) {
        WaitingStep<T> waiting = new WaitingStep<>(mailbox, value -> {
            cancelWait(); // also cancels the timer of limitWait()
            step.accept(value);
        });
        wait = waiting;
        return waiting;
    }

    private void limitWait() {
        if (wait != null) {
            // Protocol 8: the last read, sent at the end of the wait, gets time to pass the request limiter.
            long left = Math.max(0, acquisition.persistsUntil() - begun);
            long limit = Math.max(left + Requests.TIMEOUT, parts.storeTimeout);
            after(Math.max(0, begun + limit - parts.clock.now()), this::onNoTurn);
        }
    }

    private void onNoTurn() {
        acquisition.finish(new AcquireCall.Failed(parts.unsent(spec.keys())));
    }

    // ---- wait after a failure

    private void onAnswered() {
        failures = 0;
        conflicts = 0;
    }

    private void onFailed(StoreReply.Failed failed, Runnable again) {
        LeaseStoreException error = parts.requests.error(spec.keys(), failed.cause());
        conflicts = spec.isGroup() && failed.kind() == StoreReply.FailureKind.CONFLICT ? conflicts + 1 : 0;
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            acquisition.finish(new AcquireCall.Failed(error));
        } else if (conflicts >= CONFLICTS && acquisition.waitsUntil() - parts.clock.now() <= 0) {
            // The conflicts show that other callers are acquiring some of the keys.
            acquisition.finish(new AcquireCall.Unavailable(null));
        } else {
            tryLater(error, again);
        }
    }

    private void tryLater(LeaseStoreException error, Runnable again) {
        failures++;
        acquisition.onFailing(error);
        long delay = parts.requests.retryDelay(failures, MAX_BACKOFF, MAX_BACKOFF);
        long then = parts.clock.now() + delay;
        if (acquisition.persistsUntil() - then >= 0 || then - begun <= parts.storeTimeout) {
            after(delay, again);
        } else {
            acquisition.finish(conflicts > 0 ? new AcquireCall.Unavailable(null) : new AcquireCall.Failed(error));
        }
    }

    // ---- delayed steps

    private void receive(Runnable step) {
        mailbox.execute(step);
    }

    /** Drops the step that was pending before. */
    private void after(long delayNanos, Runnable step) {
        if (timer != null) {
            timer.cancel();
        }
        int number = ++delays;
        pending = step;
        timer = parts.time.schedule(
                delayNanos,
                () -> mailbox.execute(() -> {
                    if (delays == number) {
                        runPending();
                    }
                }));
    }

    private void runPending() {
        Runnable step = pending;
        cancelWait();
        if (step != null) {
            step.run();
        }
    }

    void cancelWait() {
        delays++;
        pending = null;
        if (wait != null) {
            wait.drop();
            wait = null;
        }
        if (timer != null) {
            timer.cancel();
        }
    }

    // ---- the end

    @Nullable
    Release predecessor() {
        return predecessor;
    }

    /** Returns true if an attempt is in flight, so that the acquire ends only with the reply or timeout. */
    boolean giveUp() {
        givenUp = parts.time.nanos();
        cancelWait();
        return inFlight;
    }

    long givenUp() {
        return givenUp;
    }
}
