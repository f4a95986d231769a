package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.threads.Mailbox;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that want a permit of one key (6.6). Each permit is a slot with its own item, which is
 * acquired like any lease, so a slot has at most one holder. This class only decides which slot to try, and when.
 *
 * <p>The first caller tries the slot that this process used last, or a random slot. If callers wait, one read of all
 * slots serves all of them, and then as many callers try a slot as there were free slots. If permits change owners
 * quickly, the next caller tries a random slot without a read, and a process that has just had a permit waits before it
 * tries again ({@link PermitLooks}). A released slot is handed over to the next caller of this process in a single
 * write. All steps run in the mailbox of the queue.
 */
final class PermitQueue {

    /**
     * The time for which a slot is left to other processes. It is longer than the time between two reads of another
     * process.
     */
    private static final long STAND_BACK = 3 * SECOND / 2;

    private final String key;
    private final Permits shared;
    private final EngineParts parts;
    private final Mailbox mailbox = new Mailbox(error -> {});
    private final AtomicInteger entering = new AtomicInteger();

    // The fields below are used in the mailbox only.
    private final PermitLooks looks;
    private final Map<Integer, PermitSlot> slots = new HashMap<>(); // used by this process
    private final Map<Integer, Long> leftToOthers = new HashMap<>(); // by slot: until which monotonic time
    private final Set<PermitCall> waiting = new LinkedHashSet<>();
    private int asked; // the number of calls that currently try a slot

    PermitQueue(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        this.looks = new PermitLooks(this, shared, mailbox);
    }

    String key() {
        return key;
    }

    /** Announces a caller. Until the caller has entered, the queue stays in the map of queues. */
    void expectOne() {
        entering.incrementAndGet();
    }

    boolean expectsNobody() {
        return entering.get() == 0;
    }

    void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            if (waiting.stream().anyMatch(PermitCall::isImpatient)) {
                // Checked once for all callers: if the known pauses are old, this starts a read, whose reply is a step.
                LeasePause pause = pause();
                refuse(call -> call.isImpatient() && (pause != null || isHeldHere(call)), null);
            }
            looks.goOn();
            if (waiting.isEmpty() && asked == 0 && slots.isEmpty() && !looks.isUnderWay()) {
                shared.retire(this);
            }
        });
    }

    // ---- callers

    void enter(PermitCall call) {
        step(() -> {
            entering.decrementAndGet();
            List<Integer> allowed = allowedFor(call);
            int most = parts.settings.maxWaitersPerKey;
            if (call.result().isDone()) {
                return;
            } else if (waiting.isEmpty()
                    && !allowed.isEmpty()
                    && (call.isImpatient() || !looks.standsBack(call.permits))) {
                Integer last = shared.lastUsed.get(key);
                int any = anyOf(allowed);
                ask(call, last != null && allowed.contains(last) ? last : any);
            } else if (waiting.size() >= most && !(call.isImpatient() && isHeldHere(call))) {
                call.end(KeyQueue.tooMany(key, waiting.size(), most));
            } else {
                add(call);
            }
        });
    }

    /** Ends a call before it has a result. {@code end}: ends the acquire of the slot that the call tried last. */
    void leave(PermitCall call, LeaseException why, Consumer<Acquisition> end) {
        step(() -> {
            waiting.remove(call);
            Acquisition last = call.lastAsked();
            call.end(new AcquireCall.Failed(why));
            if (last != null) {
                end.accept(last);
            }
        });
    }

    List<PermitCall> waiting() {
        return List.copyOf(waiting);
    }

    private void add(PermitCall call) {
        call.beginWaiting(parts.clock.now());
        waiting.add(call);
        long until = call.hasWait() ? call.waitsUntil() : endOfTimeout(call);
        call.after(until - parts.clock.now(), () -> step(() -> onOverdue(call)));
    }

    private long endOfTimeout(PermitCall call) {
        return call.called() + parts.storeTimeout;
    }

    /**
     * Handles the end of the wait of a call. If the call {@linkplain #needsNoReply needs no further reply} and may not
     * try a slot now, the call ends at once. Otherwise the call waits for a last read or, while other callers of this
     * process try all slots, for the replies to these callers. This additional wait ends 2 s after the {@code waitFor}
     * of the call, or at the store timeout of the call, whichever is later.
     */
    private void onOverdue(PermitCall call) {
        if (!waiting.contains(call)) {
            return;
        }
        call.onOverdue();
        long now = parts.clock.now(); // nanos may wrap between the two times
        long left = Math.max(call.waitsUntil() + Requests.TIMEOUT - now, endOfTimeout(call) - now);
        if (left <= 0 || (needsNoReply(call) && !dependsOnLooks(call))) {
            refuse(call::equals, error(call));
        } else {
            call.after(left, () -> step(() -> refuse(call::equals, error(call))));
        }
    }

    /**
     * Ends the matching waiting calls without a permit. {@code error}: the error of these calls; {@code null}: the
     * permit is unavailable.
     */
    private void refuse(Predicate<PermitCall> which, @Nullable LeaseStoreException error) {
        List<PermitCall> refused = waiting.stream().filter(which).toList();
        if (!refused.isEmpty()) {
            LeasePause pause = pause();
            refused.forEach(call -> {
                waiting.remove(call);
                call.end(
                        error != null
                                ? new AcquireCall.Failed(error)
                                : new AcquireCall.Unavailable(holder(call), pause, why(call)));
            });
        }
    }

    /**
     * Returns the error with which the call ends if no reply has shown why it gets no permit, or if requests have
     * failed since such a reply. Returns {@code null} if the permits are in use or the key is paused.
     */
    private @Nullable LeaseStoreException error(PermitCall call) {
        if (isHeldHere(call) || pause() != null) {
            return null;
        } else if (looks.failing() != null) {
            return looks.failing();
        }
        boolean showsOthers = call.isAnswered() && parts.path.state().failure() == null;
        return showsOthers ? null : parts.unsent(List.of(key));
    }

    /**
     * Returns whether the call needs no further reply: it is known why the call gets no permit, or that the store
     * fails.
     */
    private boolean needsNoReply(PermitCall call) {
        return isHeldHere(call)
                || call.isAnswered()
                || pause() != null
                || looks.failing() != null
                || parts.path.state().failure() != null;
    }

    /** Returns a description of the limit that keeps the call from a permit. */
    private String why(PermitCall call) {
        long here = slots.values().stream().filter(PermitSlot::isTaken).count();
        long held = slots.values().stream().filter(PermitSlot::isHeld).count();
        String has = "this process holds " + (held < here ? "or asks for " : "") + here;
        if (here >= call.most) {
            return "not available: " + has + " of at most " + call.most
                    + (call.most < call.permits ? " per node, of " + call.permits + " permits in all" : " permits");
        }
        LeaseInfo other = looks.holder();
        return "not available: all " + call.permits + " permits are taken; " + has
                + (other == null ? "" : ", and one is held by " + AcquireCall.Unavailable.inWords(other));
    }

    /**
     * Returns a lease of another owner that keeps the call from a permit; {@code null}: none is known. Also returns
     * {@code null} if this process has reached its limit. Calls are then refused without a read, so the last read may
     * be hours old.
     */
    private @Nullable LeaseInfo holder(PermitCall call) {
        return isLimited(call) ? null : looks.holder();
    }

    private @Nullable LeasePause pause() {
        return parts.pauses.recentPauseOf(List.of(key), () -> step(() -> {}));
    }

    // ---- slots

    /**
     * Returns the slots that this caller may try now. A caller that waits leaves some slots to other processes for a
     * while.
     */
    private List<Integer> allowedFor(PermitCall call) {
        long now = parts.clock.now();
        leftToOthers.values().removeIf(until -> until - now <= 0);
        return isLimited(call)
                ? List.of()
                : slotsOf(call)
                        .filter(slot -> !slots.containsKey(slot))
                        .filter(slot -> call.isImpatient() || !leftToOthers.containsKey(slot))
                        .boxed()
                        .toList();
    }

    private IntStream slotsOf(PermitCall call) {
        return parts.rules.slots(call.permits);
    }

    /**
     * Returns whether this process holds, or currently tries to get, as many permits as the caller's request allows.
     */
    private boolean isLimited(PermitCall call) {
        return slots.values().stream().filter(PermitSlot::isTaken).count() >= call.most;
    }

    /** Returns whether this process already holds as many permits as the caller's request allows. */
    private boolean isHeldHere(PermitCall call) {
        return slots.values().stream().filter(PermitSlot::isHeld).count() >= call.most;
    }

    /**
     * Returns whether reads can answer this caller: this process may have another permit, and does not use all slots.
     * While this process is releasing a slot, reads do not answer a caller without a {@code waitFor}, but they answer a
     * caller whose wait is over.
     */
    boolean dependsOnLooks(PermitCall call) {
        return !isLimited(call)
                && slotsOf(call).anyMatch(slot -> !slots.containsKey(slot))
                && (call.hasWait() || slotsOf(call).mapToObj(slots::get).noneMatch(PermitQueue::isBeingReleased));
    }

    private static boolean isBeingReleased(@Nullable PermitSlot slot) {
        return slot != null && !slot.isTaken();
    }

    private void ask(PermitCall call, int number) {
        PermitSlot slot = new PermitSlot(this, number);
        slots.put(number, slot);
        Observation ended = looks.ended(number);
        begin(call, slot).start(loop -> loop.beginKnowing(ended));
    }

    private Acquisition begin(PermitCall call, PermitSlot slot) {
        waiting.remove(call);
        asked++;
        LeaseSpec spec = call.spec.ofPermit(slot.number, call.permits);
        Acquisition acquisition =
                new Acquisition(spec, slot, parts.newTenure(), parts, shared.live, null, call.called());
        shared.live.began(acquisition);
        call.asks(acquisition);
        slot.onAsked(call, acquisition.id());
        acquisition.result().thenAccept(result -> step(() -> onResult(call, result)));
        shared.live.stopIfClosed(acquisition);
        return acquisition;
    }

    private void onResult(PermitCall call, AcquireCall.Result result) {
        asked--;
        if (!(result instanceof AcquireCall.Unavailable refusal)
                || refusal.pause() != null
                || call.result().isDone()) {
            call.end(result);
        } else if (call.isOutrun()) {
            String why =
                    "not available: others acquired each free permit first, of " + call.permits + " permits in all";
            call.end(new AcquireCall.Unavailable(refusal.holder(), null, why));
        } else {
            call.onRefused(parts.clock.now());
            looks.onRefused();
            add(call);
            sortWaiting();
        }
    }

    /**
     * Sorts the waiting calls by the time at which they were made. A call that was refused a slot thus returns to its
     * old place.
     */
    private void sortWaiting() {
        long now = parts.clock.now();
        List<PermitCall> inOrder = waiting.stream()
                .sorted(Comparator.comparingLong(call -> call.called() - now)) // nanos may wrap between two calls
                .toList();
        waiting.clear();
        waiting.addAll(inOrder);
    }

    void onGranted(PermitSlot slot) {
        shared.lastUsed.put(key, slot.number);
        looks.onGranted(parts.clock.now());
    }

    void free(PermitSlot slot) {
        slots.remove(slot.number, slot);
    }

    /** Frees the slot after a release: another caller may acquire it. */
    void freeReleased(PermitSlot slot) {
        free(slot);
        looks.onReleased(slot.number);
    }

    void release(PermitSlot slot, Release release, boolean mayHandOver) {
        boolean forOthers = parts.rules.endsHandOvers(slot.fairness().handOvers());
        Optional<PermitCall> next = waiting.stream()
                .filter(call -> slot.number < call.permits && !isLimited(call))
                .findFirst();
        if (release.delay() != null) {
            slot.onKept();
            parts.releases.delay(release, () -> step(() -> send(slot, release)));
        } else if (mayHandOver && !forOthers && next.isPresent()) {
            slot.onHandedOver();
            // At once: until the hand-over is applied, reads show this tenure, which must not count as another owner's.
            parts.observer.ended(release.tenure());
            begin(next.get(), slot).beginByHandOver(release);
        } else {
            if (forOthers) {
                leftToOthers.put(slot.number, parts.clock.now() + STAND_BACK);
            }
            send(slot, release);
        }
    }

    private void send(PermitSlot slot, Release release) {
        send(release);
        slot.awaitSettled(release, () -> freeReleased(slot));
    }

    void send(Release release) {
        parts.releases.send(release);
    }

    /**
     * Lets the first waiting caller that may try a slot now try a random slot, without a read. Returns whether the
     * caller tries. A caller that was refused often waits for a read instead.
     */
    boolean askAny() {
        for (PermitCall call : waiting()) {
            List<Integer> allowed = allowedFor(call);
            if (!allowed.isEmpty()) {
                boolean asks = !call.wasRefusedOften();
                if (asks) {
                    ask(call, anyOf(allowed));
                }
                return asks;
            }
        }
        return false;
    }

    private int anyOf(List<Integer> some) {
        return some.get(parts.random.nextInt(some.size()));
    }

    // ---- answers from reads

    /** Returns whether the item shows the tenure with which this process tries, holds or releases the slot. */
    boolean isOfTenureHere(int slot, LeaseItem item) {
        PermitSlot used = slots.get(slot);
        return used != null && used.isShownBy(item);
    }

    /** Called when a read shows that the slot is held. From then on, the slot is no longer left to other processes. */
    void onHeld(int slot) {
        leftToOthers.remove(slot);
    }

    /** Lets waiting callers try these free slots, one slot for each caller, in order of arrival. */
    void askFor(List<Integer> free) {
        List<Integer> left = new ArrayList<>(free);
        for (PermitCall call : waiting()) {
            List<Integer> allowed = allowedFor(call);
            left.stream().filter(allowed::contains).findFirst().ifPresent(slot -> {
                left.removeIf(slot::equals);
                ask(call, slot);
            });
        }
    }

    /**
     * Answers waiting callers with a read of the first {@code permits} slots that was sent at {@code sent}. The read
     * answers a caller if the caller came, or was last refused, before that time. A caller that requests more permits
     * than were read needs another read.
     */
    void answer(long sent, int permits) {
        Predicate<PermitCall> answered =
                call -> call.permits <= permits && call.since() - sent <= 0 && dependsOnLooks(call);
        refuse(call -> call.isImpatient() && answered.test(call), null);
        waiting.stream().filter(answered).forEach(PermitCall::onAnswered);
    }

    /**
     * Handles a failed read. Calls whose wait and store timeout are over fail, too. All calls fail if the table has
     * rejected the read, because a retry would be rejected, too.
     */
    void onFailed(LeaseStoreException error, boolean rejected) {
        long now = parts.clock.now();
        refuse(call -> rejected || (endOfTimeout(call) - now <= 0 && call.waitsUntil() - now <= 0), error);
    }
}
