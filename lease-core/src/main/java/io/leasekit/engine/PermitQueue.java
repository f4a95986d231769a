package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.KeyQueue;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that want a permit of one key, and this process's permits (protocol 6.6). Each permit has
 * its own item, which is acquired like the item of a lease. All steps run in the mailbox of the queue.
 */
final class PermitQueue {

    private static final int REFUSALS_BEFORE_READ = 8;

    final String key;
    // The number of calls that have no result yet; a queue with such calls stays in use.
    final AtomicInteger begun = new AtomicInteger();

    private final Permits shared;
    final EngineParts parts;
    private final Mailbox mailbox = new Mailbox(error -> {});

    // Only the mailbox uses the fields below.
    private final PermitsSeen seen;
    private final Set<PermitCall> calls = new LinkedHashSet<>();
    private boolean reading; // whether a read, or a write of waiting_since, is queued or in flight
    private EngineTime.@Nullable Timer timer; // next read
    private int failures;
    private @Nullable LeaseStoreException failing;

    PermitQueue(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        this.seen = new PermitsSeen(key, shared);
    }

    void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            // The pause check may start a read, so one check serves all callers.
            LeasePause pause = waiting().stream().anyMatch(this::isImpatient) ? pause() : null;
            refuse(call -> isImpatient(call) && (pause != null || isHeldHere(call)), this::unavailable);
            readIfNeeded();
            if (begun.get() == 0 && count(KeyQueue::isTaken) == 0 && !reading) {
                shared.retire(this);
            }
        });
    }

    // ---- calls

    private List<PermitCall> waiting() {
        return calls.stream().filter(call -> call.waits).toList();
    }

    void enter(PermitCall call) {
        step(() -> {
            if (call.result().isDone()) {
                return;
            }
            calls.add(call);
            int before = waiting().size();
            int most = parts.settings.maxWaitersPerKey;
            List<PermitSlot> free = freeFor(call);
            if (before == 0 && !free.isEmpty() && (isImpatient(call) || !seen.standsBack(call.permits))) {
                PermitSlot last = seen.slots.get(shared.lastUsed.getOrDefault(key, -1));
                PermitSlot any = anyOf(free);
                (last != null && free.contains(last) ? last : any).request(call);
            } else if (before >= most && !(isImpatient(call) && isHeldHere(call))) {
                call.end(KeyQueue.tooMany(key, before, most));
            } else {
                await(call);
            }
        });
    }

    void leave(PermitCall call) {
        calls.remove(call);
        begun.decrementAndGet();
    }

    private boolean isImpatient(PermitCall call) {
        return call.isImpatient(parts.clock.now());
    }

    private void await(PermitCall call) {
        long now = parts.clock.now();
        call.beginWaiting(now);
        call.await(call.untilLimit(now, parts.storeTimeout));
    }

    /** If a reply can still change the result, waits for it, but not for longer than a request takes. */
    void onOverdue(PermitCall call) {
        if (call.waits) {
            long left = call.untilLastReply(parts.clock.now(), parts.storeTimeout);
            AcquireCall.Result known = known(call, left <= 0);
            if (known != null && (left <= 0 || !dependsOnReads(call))) {
                call.end(known);
            } else {
                call.await(left);
            }
        }
    }

    /** Returns why the call gets no permit; {@code null} if no reply has shown a reason and the call is not late. */
    private AcquireCall.@Nullable Result known(PermitCall call, boolean isLate) {
        boolean fails = parts.path.state().failure() != null;
        if (isHeldHere(call) || pause() != null || (failing == null && call.answered && !fails)) {
            return unavailable(call);
        } else if (failing != null) {
            return new AcquireCall.Failed(failing);
        }
        return fails || isLate ? new AcquireCall.Failed(parts.unsent(List.of(key))) : null;
    }

    private void refuse(Predicate<PermitCall> which, Function<PermitCall, AcquireCall.Result> result) {
        List<PermitCall> refused = waiting().stream().filter(which).toList();
        refused.forEach(call -> call.end(result.apply(call)));
    }

    /** A process that has reached its limit may not have read the permits, so the result names no other holder. */
    private AcquireCall.Result unavailable(PermitCall call) {
        long here = count(PermitSlot::isCounted);
        boolean isLimited = here >= call.most;
        LeaseInfo other = isLimited ? null : seen.holder();
        String has = "this process holds " + (count(PermitSlot::isHeld) < here ? "or asks for " : "") + here;
        String limit = call.most < call.permits ? " per node, of " + call.permits + " permits in all" : " permits";
        String one = other == null ? "" : ", and one is held by " + AcquireCall.Unavailable.inWords(other);
        String why = isLimited
                ? has + " of at most " + call.most + limit
                : "all " + call.permits + " permits are taken; " + has + one;
        return new AcquireCall.Unavailable(other, pause(), "not available: " + why);
    }

    private @Nullable LeasePause pause() {
        return shared.pauses.recentPauseOf(List.of(key), () -> step(() -> {}));
    }

    // ---- permits

    private Stream<PermitSlot> slots(int permits) {
        return shared.rules
                .slots(permits)
                .mapToObj(number -> seen.slots.computeIfAbsent(number, one -> new PermitSlot(one, this)));
    }

    private long count(Predicate<PermitSlot> which) {
        return seen.slots.values().stream().filter(which).count();
    }

    private boolean isHeldHere(PermitCall call) {
        return count(PermitSlot::isHeld) >= call.most;
    }

    private boolean isLimited(PermitCall call) {
        return count(PermitSlot::isCounted) >= call.most;
    }

    private List<PermitSlot> freeFor(PermitCall call) {
        long now = parts.clock.now();
        boolean isLimited = isLimited(call);
        return slots(call.permits)
                .filter(slot -> !isLimited && slot.isFreeFor(call, now))
                .toList();
    }

    private PermitSlot anyOf(List<PermitSlot> slots) {
        return slots.get(parts.random.nextInt(slots.size()));
    }

    /** Returns the call that gets the permit of a caller that releases it; {@code null} if no call waits for it. */
    @Nullable
    PermitCall nextFor(PermitSlot slot) {
        return waiting().stream()
                .filter(call -> slot.number < call.permits && !isLimited(call))
                .findFirst()
                .orElse(null);
    }

    void onResult(PermitCall call, PermitSlot slot, AcquireCall.Result result) {
        if (result instanceof AcquireCall.Granted) {
            shared.lastUsed.put(key, slot.number);
            onStoreAnswered();
            seen.onGranted();
        }
        if (!(result instanceof AcquireCall.Unavailable refusal)
                || refusal.pause() != null
                || call.result().isDone()) {
            call.end(result);
        } else if (isImpatient(call) && call.refusals >= call.permits) {
            String why =
                    "not available: others acquired each free permit first, of " + call.permits + " permits in all";
            call.end(new AcquireCall.Unavailable(refusal.holder(), null, why));
        } else {
            call.onRefused(parts.clock.now());
            onStoreAnswered();
            seen.onRefused();
            await(call);
        }
    }

    // ---- reads

    /** A call without {@code waitFor} depends on a read only when this process is releasing no permit. */
    private boolean dependsOnReads(PermitCall call) {
        return !isLimited(call)
                && slots(call.permits).anyMatch(slot -> !slot.isTaken())
                && (call.hasWait() || slots(call.permits).allMatch(slot -> slot.isCounted() == slot.isTaken()));
    }

    private void readIfNeeded() {
        if (reading) {
            return;
        }
        List<PermitCall> able = waiting().stream().filter(this::dependsOnReads).toList();
        boolean quick = seen.isQuick();
        boolean urgent = failures == 0
                && able.stream().anyMatch(call -> isImpatient(call) || (call.refusedSinceAnswer > 0 && !quick));
        if (timer != null && (urgent || able.isEmpty())) {
            timer.cancel();
            timer = null;
        }
        if (urgent) {
            // An impatient call gains nothing from waiting_since, because the call no longer waits.
            long impatient = able.stream().filter(this::isImpatient).count();
            readOrMark(impatient > 0 && impatient < able.size());
        } else if (timer == null && !able.isEmpty()) {
            PermitCall first = able.get(0);
            long nanos = failures == 0
                    ? seen.delay(parts.clock.now() - first.called(), first.permits)
                    : parts.requests.retryDelay(failures, SECOND, SECOND);
            timer = parts.time.schedule(nanos, () -> step(this::onTimer));
        }
    }

    /** If permits change owners quickly, a read is outdated at once, so a call requests a random permit instead. */
    private void onTimer() {
        timer = null;
        if (!reading && !waiting().isEmpty()) {
            boolean guesses = seen.toMark == null && failures == 0 && seen.isQuick();
            waiting().stream()
                    .filter(call -> guesses && !freeFor(call).isEmpty())
                    .findFirst()
                    .filter(call -> call.refusedSinceAnswer < REFUSALS_BEFORE_READ)
                    .ifPresentOrElse(call -> anyOf(freeFor(call)).request(call), () -> readOrMark(true));
        }
    }

    /**
     * The mark {@code waiting_since} makes another process release a permit that callers of that process pass to each
     * other.
     */
    private void readOrMark(boolean mayMark) {
        PermitSlot toMark = mayMark ? seen.toMark : null;
        seen.toMark = null;
        reading = true;
        parts.requests.inTurn(RequestLimiter.Kind.LOOK, this::step, null, request -> {
            BoundedClock.Reading time = toMark == null ? null : parts.rules.beforeSending(parts.clock);
            if (waiting().isEmpty()) {
                reading = false;
            } else if (toMark == null || time == null) {
                read(request);
            } else {
                MarkCommand mark = new MarkCommand(toMark.key(), time.middleMillis());
                request.write(List.of(mark), new Requests.Pending(time, reply -> step(() -> reading = false)));
            }
        });
    }

    private void read(Requests.Outgoing request) {
        int most = waiting().stream().mapToInt(call -> call.permits).max().orElse(1);
        List<PermitSlot> read = slots(most).toList();
        request.readEach(read.stream().map(KeyQueue::key).toList(), reply -> step(() -> onRead(reply, most, read)));
    }

    private void onRead(Requests.Reply reply, int most, List<PermitSlot> read) {
        reading = false;
        if (!(reply.outcome() instanceof StoreReply.FoundEach found)) {
            StoreReply.Failed failed = reply.failure();
            onFailed(failed.cause(), failed.kind() == StoreReply.FailureKind.REJECTED);
            return;
        }
        seen.saw(found, read, reply);
        for (PermitCall call : waiting()) {
            List<PermitSlot> free = freeFor(call);
            seen.slots.values().stream()
                    .filter(slot -> slot.seen.isFree() && free.contains(slot))
                    .findFirst()
                    .ifPresent(slot -> slot.request(call));
        }
        if (found.unread().isEmpty()) {
            onStoreAnswered();
            // A read answers only calls that were made or last refused before the read was sent.
            Predicate<PermitCall> answered =
                    call -> call.permits <= most && call.since - reply.sent() <= 0 && dependsOnReads(call);
            refuse(call -> isImpatient(call) && answered.test(call), this::unavailable);
            waiting().stream().filter(answered).forEach(PermitCall::onAnswered);
        } else { // an unread permit may be free, so the read counts as failed
            int shown = most - found.unread().size();
            onFailed(new IllegalStateException("Store read " + shown + " of " + most + " slots"), false);
        }
    }

    void onReleased(PermitSlot slot) {
        seen.onReleased(slot);
    }

    private void onStoreAnswered() {
        failures = 0;
        failing = null;
    }

    /** A rejected read fails all calls, because the table would also reject another read. */
    private void onFailed(Throwable cause, boolean rejected) {
        LeaseStoreException error = parts.requests.error(List.of(key), cause);
        failures++;
        failing = error;
        long now = parts.clock.now();
        refuse(
                call -> rejected || (call.isImpatient(now) && call.called() + parts.storeTimeout - now <= 0),
                call -> new AcquireCall.Failed(error));
    }
}
