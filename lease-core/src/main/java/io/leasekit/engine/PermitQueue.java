package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.KeyQueue;
import io.leasekit.kernel.LeaseState;
import io.leasekit.kernel.LocalQueue;
import io.leasekit.kernel.Release;
import io.leasekit.observe.Contention;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that want a permit of one key (protocol 6.6). The queue reads the permits, chooses the
 * {@link PermitSlot} that a call requests, and the next call of a slot that is released. All steps run in the mailbox of
 * the queue.
 */
final class PermitQueue implements LocalQueue {

    private static final int REFUSALS_BEFORE_READ = 8;

    final String key;
    // The number of calls that have no result yet; a queue with such calls stays in use.
    final AtomicInteger begun = new AtomicInteger();

    final Permits shared;
    final EngineParts parts;
    private final Mailbox mailbox = new Mailbox(error -> {});

    // Only the mailbox uses the fields below.
    final Set<PermitCall> calls = new LinkedHashSet<>();
    private final Map<Integer, PermitSlot> slots = new HashMap<>(); // those that calls have named, by number
    // The observer's statistics about the key; until the first contention, separate statistics.
    private Contention contention;
    private boolean sawOthers; // whether another process was seen since the last grant
    // The monotonic time at which others' permits last changed or this process last released a permit.
    private long movedAt;
    private long readAt;
    private @Nullable PermitSlot toMark; // a permit that another process passes between its own callers
    private boolean reading; // whether a read, or a write of waiting_since, is queued or in flight
    private EngineTime.@Nullable Timer timer; // next read
    private int failures;
    private @Nullable LeaseStoreException failing;

    PermitQueue(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        this.movedAt = parts.clock.now();
        this.readAt = movedAt;
        Contention known = parts.observer.contention(key);
        this.contention = known == null ? new Contention(movedAt) : known;
    }

    void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            // The pause check may start a read, so one check serves all callers.
            LeasePause pause = waiting().stream().anyMatch(call -> call.isImpatient) ? pause() : null;
            refuse(call -> call.isImpatient && (pause != null || isHeldHere(call)), this::unavailable);
            readIfNeeded();
            if (begun.get() == 0 && count(KeyQueue::isTaken) == 0 && !reading) {
                shared.retire(this);
            }
        });
    }

    // ---- calls

    List<PermitCall> waiting() {
        return calls.stream()
                .filter(call -> call.waits && !call.result().isDone())
                .toList();
    }

    void enter(PermitCall call) {
        step(() -> {
            if (call.result().isDone()) {
                return;
            }
            calls.add(call);
            int before = waiting().size();
            int most = parts.settings.maxWaitersPerKey;
            List<Integer> free = before > 0 ? List.of() : freeFor(call);
            if (!free.isEmpty()
                    && (call.isImpatient || contention.standBack(parts.clock.now(), call.permits, parts.random) <= 0)) {
                int last = shared.lastUsed.getOrDefault(key, -1);
                (free.contains(last) ? slot(last) : anyOf(free)).request(call);
            } else if (before >= most && !(call.isImpatient && isHeldHere(call))) {
                call.end(KeyQueue.tooMany(key, before, most));
            } else {
                await(call);
            }
        });
    }

    @Override
    public void onEnded(Acquisition call, @Nullable Release none) {
        step(() -> {
            calls.remove(call);
            begun.decrementAndGet();
        });
    }

    /** A call never holds a lease itself. */
    @Override
    public void release(LeaseState lease, Release release, boolean mayHandOver) {
        throw new IllegalStateException("A queue of calls for any permit has no lease itself");
    }

    private void await(PermitCall call) {
        call.beginWaiting(parts.clock.now());
        call.waits = true;
        call.onQueued();
    }

    /**
     * If a reply can still change the result, waits until 2 s after {@code waitFor} or the store timeout, whichever is
     * later.
     */
    @Override
    public void onImpatient(Acquisition overdue) {
        step(() -> {
            if (overdue instanceof PermitCall call && waiting().contains(call)) {
                call.isImpatient = true;
                long left = call.untilLastReply(parts.clock.now(), parts.storeTimeout);
                AcquireCall.Result known = known(call, left <= 0);
                if (known != null && (left <= 0 || !dependsOnReads(call))) {
                    call.end(known);
                } else {
                    call.awaitTurn(left);
                }
            }
        });
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
        LeaseInfo other = isLimited ? null : otherHolder();
        String has = "this process holds " + (count(PermitSlot::isHeld) < here ? "or asks for " : "") + here;
        String limit = call.most < call.permits ? " per node, of " + call.permits + " permits in all" : " permits";
        String one = other == null ? "" : ", and one is held by " + AcquireCall.Unavailable.inWords(other);
        String why = isLimited
                ? has + " of at most " + call.most + limit
                : "all " + call.permits + " permits are taken; " + has + one;
        return new AcquireCall.Unavailable(other, pause(), "not available: " + why);
    }

    private @Nullable LeaseInfo otherHolder() {
        return slots.values().stream()
                .filter(slot -> slot.seen.isOther())
                .flatMap(slot -> Stream.ofNullable(slot.holder()))
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> parts.records.info(item, parts.clock.now()))
                .orElse(null);
    }

    private @Nullable LeasePause pause() {
        return shared.pauses.recentPauseOf(List.of(key), () -> step(() -> {}));
    }

    // ---- permits

    private PermitSlot slot(int number) {
        return slots.computeIfAbsent(number, one -> new PermitSlot(one, this));
    }

    private long count(Predicate<PermitSlot> which) {
        return slots.values().stream().filter(which).count();
    }

    private boolean isHeldHere(PermitCall call) {
        return count(PermitSlot::isHeld) >= call.most;
    }

    boolean isLimited(PermitCall call) {
        return count(PermitSlot::isCounted) >= call.most;
    }

    private List<Integer> freeFor(PermitCall call) {
        long now = parts.clock.now();
        Predicate<PermitSlot> isBusy = slot -> slot.isTaken() || (!call.isImpatient && slot.fairness.standsBack(now));
        return shared.rules
                .slots(isLimited(call) ? 0 : call.permits)
                .filter(number -> Stream.ofNullable(slots.get(number)).noneMatch(isBusy))
                .boxed()
                .toList();
    }

    private PermitSlot anyOf(List<Integer> numbers) {
        return slot(numbers.get(parts.random.nextInt(numbers.size())));
    }

    void onResult(PermitCall call, PermitSlot slot, AcquireCall.Result result) {
        if (!(result instanceof AcquireCall.Unavailable refusal)
                || refusal.pause() != null
                || call.result().isDone()) {
            call.end(result);
        } else if (call.isImpatient && call.refusals >= call.permits) {
            String why =
                    "not available: others acquired each free permit first, of " + call.permits + " permits in all";
            call.end(new AcquireCall.Unavailable(refusal.holder(), null, why));
        } else {
            call.onRefused(parts.clock.now());
            onStoreAnswered();
            sawOthers = true;
            await(call);
        }
        if (result instanceof AcquireCall.Granted) {
            shared.lastUsed.put(key, slot.number);
            onStoreAnswered();
            contention.granted(sawOthers, parts.clock.now());
            sawOthers = false;
        }
    }

    // ---- reads

    /** A call without {@code waitFor} depends on a read only when this process is releasing no permit. */
    private boolean dependsOnReads(PermitCall call) {
        return !isLimited(call)
                && count(slot -> slot.number < call.permits && slot.isTaken()) < call.permits
                && (call.hasWait()
                        || count(slot -> slot.number < call.permits && slot.isTaken() != slot.isCounted()) == 0);
    }

    private void readIfNeeded() {
        List<PermitCall> able = waiting().stream()
                .filter(call -> !reading && dependsOnReads(call))
                .toList();
        boolean urgent = failures == 0
                && able.stream().anyMatch(call -> call.isImpatient || (call.refusedSinceAnswer > 0 && !isQuick()));
        if (timer != null && (urgent || able.isEmpty())) {
            timer.cancel();
            timer = null;
        }
        if (urgent) {
            // An impatient call gains nothing from waiting_since, because the call no longer waits.
            long impatient = able.stream().filter(call -> call.isImpatient).count();
            readOrMark(impatient > 0 && impatient < able.size());
        } else if (timer == null && !able.isEmpty()) {
            PermitCall first = able.get(0);
            long nanos = failures == 0 ? delay(first) : parts.requests.retryDelay(failures, SECOND, SECOND);
            timer = parts.time.schedule(nanos, () -> step(this::onTimer));
        }
    }

    /** If permits change owners quickly, a read is outdated at once, so a call requests a random permit instead. */
    private void onTimer() {
        timer = null;
        if (!reading && !waiting().isEmpty()) {
            boolean guesses = toMark == null && failures == 0 && isQuick();
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
        PermitSlot marked = mayMark ? toMark : null;
        toMark = null;
        reading = true;
        parts.requests.inTurn(RequestLimiter.Kind.LOOK, this::step, null, request -> {
            BoundedClock.Reading time = marked == null ? null : parts.rules.beforeSending(parts.clock);
            if (waiting().isEmpty()) {
                reading = false;
            } else if (marked == null || time == null) {
                read(request);
            } else {
                MarkCommand mark = new MarkCommand(marked.key(), time.middleMillis());
                request.write(List.of(mark), new Requests.Pending(time, reply -> step(() -> reading = false)));
            }
        });
    }

    private void read(Requests.Outgoing request) {
        int most = waiting().stream().mapToInt(call -> call.permits).max().orElse(1);
        List<PermitSlot> read = shared.rules.slots(most).mapToObj(this::slot).toList();
        request.readEach(read.stream().map(KeyQueue::key).toList(), reply -> step(() -> onRead(reply, most, read)));
    }

    private void onRead(Requests.Reply reply, int most, List<PermitSlot> read) {
        reading = false;
        if (!(reply.outcome() instanceof StoreReply.FoundEach found)) {
            StoreReply.Failed failed = reply.failure();
            onFailed(failed.cause(), failed.kind() == StoreReply.FailureKind.REJECTED);
            return;
        }
        saw(found, read, reply);
        for (PermitCall call : waiting()) {
            freeFor(call).stream()
                    .map(this::slot)
                    .filter(slot -> slot.seen.isFree())
                    .min(PermitSlot.ORDER)
                    .ifPresent(slot -> slot.request(call));
        }
        if (found.unread().isEmpty()) {
            onStoreAnswered();
            // A read answers only calls that were made or last refused before the read was sent.
            Predicate<PermitCall> answered =
                    call -> call.permits <= most && call.since - reply.sent() <= 0 && dependsOnReads(call);
            refuse(call -> call.isImpatient && answered.test(call), this::unavailable);
            waiting().stream().filter(answered).forEach(PermitCall::onAnswered);
        } else { // an unread permit may be free, so the read counts as failed
            int shown = most - found.unread().size();
            onFailed(new IllegalStateException("Store read " + shown + " of " + most + " slots"), false);
        }
    }

    private void saw(StoreReply.FoundEach found, List<PermitSlot> read, Requests.Reply reply) {
        Map<String, LeaseItem> items = found.items().stream().collect(Collectors.toMap(LeaseItem::key, item -> item));
        contention.requestEnded(reply.at() - reply.sent());
        toMark = null;
        slots.values().stream().sorted(PermitSlot.ORDER).forEach(slot -> {
            PermitSlot.Seen before = slot.seen;
            slot.saw(items.get(slot.key()), read.contains(slot) && found.shows(slot.key()), read.size(), reply);
            boolean moved = before.since() != slot.seen.since() && (before.isOther() || slot.seen.isOther());
            movedAt = moved ? reply.at() : movedAt;
        });
        readAt = reply.at();
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
        refuse(
                call -> rejected || (call.isImpatient && call.called() + parts.storeTimeout - parts.clock.now() <= 0),
                call -> new AcquireCall.Failed(error));
    }

    // ---- pace

    /**
     * {@code item}: shows that a permit is held. Returns the monotonic time at which a read first showed the present
     * holder.
     */
    long heldSince(PermitSlot slot, LeaseItem item, boolean isOther, long now) {
        sawOthers |= isOther;
        LeaseItem before = slot.holder();
        if (before != null && Objects.equals(Tenure.shownBy(before), Tenure.shownBy(item))) {
            return slot.seen.since();
        } else if (before == null && !slot.seen.isFree()) {
            return now;
        }
        contention = parts.observer.contended(key, now);
        String owner = item.owner() == null ? "" : item.owner();
        if (isOther) {
            contention.saw(owner, now);
        }
        if (before != null) {
            contention.ended(readAt - slot.seen.since());
            if (toMark == null && isOther && owner.equals(before.owner()) && item.waitingSinceMillis() == null) {
                toMark = slot;
            }
        }
        return now;
    }

    /** Processes that recently held this permit or waited for it count as waiters for all permits of the key. */
    void onReleased(PermitSlot slot) {
        movedAt = parts.clock.now();
        Contention ofPermit = parts.observer.contention(slot.key());
        boolean othersWait = ofPermit != null && ofPermit.isKnown(movedAt);
        if (othersWait) {
            contention = parts.observer.contended(key, movedAt);
        }
        contention.released(othersWait, movedAt);
    }

    private boolean isQuick() {
        return contention.isKnown(parts.clock.now()) && contention.isQuick(keptFor());
    }

    /** Returns the nanoseconds until the next read for a call that has waited since {@code first} began. */
    private long delay(PermitCall first) {
        long now = parts.clock.now();
        long untilEnd = slots.values().stream()
                .filter(slot -> !slot.seen.isFree())
                .mapToLong(slot -> parts.observer.untilEnd(slot.seen.lease(), now))
                .min()
                .orElse(Long.MAX_VALUE);
        return parts.polling.delayOfPermits(now - first.called(), keptFor(), untilEnd, contention, first.permits, now);
    }

    private long keptFor() {
        return Math.max(0, readAt - movedAt);
    }
}
