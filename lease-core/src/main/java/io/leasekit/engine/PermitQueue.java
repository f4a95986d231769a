package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.store.LeaseItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that want a permit of one key (6.6). Each permit is a slot with an item of its own, which
 * is acquired like any lease, so exclusion per slot is that of a key. This class only decides which slot to ask for and
 * when.
 *
 * <p>The first caller asks for the slot last used here, or a random one. While callers wait, one look at all slots at a
 * time serves all of them: as many ask as slots were seen free. A released slot goes to the next caller of this process
 * by one write. All steps run in the queue's mailbox.
 */
final class PermitQueue {

    private final String key;
    private final PermitParts shared;
    private final Mailbox mailbox = new Mailbox(error -> {});
    private final AtomicInteger entering = new AtomicInteger();

    // the rest lives in the mailbox
    private final PermitLooks looks;
    private final PermitLooking looking;
    private final Map<Integer, PermitSlot> slots = new HashMap<>(); // those that this process uses
    private final Set<PermitCall> waiting = new LinkedHashSet<>();
    private int asking; // the number of calls that ask for a slot

    PermitQueue(String key, PermitParts shared) {
        this.key = key;
        this.shared = shared;
        this.looks = new PermitLooks(key, shared);
        this.looking = new PermitLooking(this, looks, shared, mailbox);
    }

    String key() {
        return key;
    }

    /** Keeps the queue in the map until the caller has entered. */
    void expectOne() {
        entering.incrementAndGet();
    }

    boolean expectsNobody() {
        return entering.get() == 0;
    }

    void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            refuseLimited();
            looking.goOn();
            if (waiting.isEmpty() && asking == 0 && slots.isEmpty() && !looking.isUnderWay()) {
                shared.onIdle().accept(this);
            }
        });
    }

    // ---- callers

    void enter(PermitCall call) {
        step(() -> {
            entering.decrementAndGet();
            List<Integer> unused = unused(call);
            if (call.result().isDone()) {
                return;
            } else if (waiting.isEmpty() && !isLimited(call) && !unused.isEmpty()) {
                Integer last = shared.lastUsed().get(key);
                int any = unused.get(shared.random().nextInt(unused.size()));
                ask(call, last != null && unused.contains(last) ? last : any);
            } else if (waiting.size() >= shared.maxWaiters()) {
                call.end(WaitingCallers.tooMany(key, waiting.size(), shared.maxWaiters()));
            } else {
                add(call);
            }
        });
    }

    /** Ends a call early. */
    void leave(PermitCall call, LeaseException why, Consumer<Acquisition> end) {
        step(() -> {
            waiting.remove(call);
            Acquisition last = call.asking();
            call.end(new AcquireCall.Failed(why));
            if (last != null) {
                end.accept(last);
            }
        });
    }

    private void add(PermitCall call) {
        call.beginWaiting(shared.clock().now());
        waiting.add(call);
        long until = call.isWaiting() ? call.waitsUntil() : call.called() + shared.storeTimeout();
        call.after(until - shared.clock().now(), () -> step(() -> onOverdue(call)));
    }

    /** The wait is over. One last look answers the call, and is awaited for as long as the store timeout. */
    private void onOverdue(PermitCall call) {
        if (!waiting.contains(call)) {
            return;
        }
        call.onOverdue();
        long end = call.called() + shared.storeTimeout();
        long left = Math.max(call.waitsUntil() + Requests.TIMEOUT, end)
                - shared.clock().now();
        if (left <= 0 || !mayAsk(call)) {
            refuse(call, looking.failing());
        } else {
            call.after(
                    left,
                    () -> step(() -> {
                        if (waiting.contains(call)) {
                            refuse(call, looking.failing());
                        }
                    }));
        }
    }

    /** Ends a call without a permit; {@code error}: why the store fails. */
    void refuse(PermitCall call, @Nullable LeaseStoreException error) {
        waiting.remove(call);
        call.end(error == null ? unavailable() : new AcquireCall.Failed(error));
    }

    private AcquireCall.Result unavailable() {
        LeaseItem holder = looks.holder();
        return new AcquireCall.Unavailable(
                holder == null
                        ? null
                        : shared.inspection().info(holder, shared.clock().now()));
    }

    // ---- slots

    /** Returns the slots that this caller may ask for. One that waits leaves some to other processes for a while. */
    private List<Integer> unused(PermitCall call) {
        long now = shared.clock().now();
        return IntStream.range(0, call.permits)
                .filter(slot -> !slots.containsKey(slot))
                .filter(slot -> call.isImpatient() || !looks.isLeftToOthers(slot, now))
                .boxed()
                .toList();
    }

    /** Returns whether this process has or asks for as many permits as it may have. */
    private boolean isLimited(PermitCall call) {
        return slots.values().stream().filter(PermitSlot::isTaken).count() >= call.most;
    }

    /** Returns whether a look may show a slot for this caller, now or later. */
    boolean mayAsk(PermitCall call) {
        return !isLimited(call) && IntStream.range(0, call.permits).anyMatch(slot -> !slots.containsKey(slot));
    }

    private void ask(PermitCall call, int number) {
        PermitSlot slot = new PermitSlot(this, number);
        slots.put(number, slot);
        begin(call, slot).start(Attempts.Series::attempt);
    }

    private Acquisition begin(PermitCall call, PermitSlot slot) {
        long patience = call.isWaiting()
                ? Math.max(0, call.waitsUntil() - shared.clock().now())
                : 0;
        Acquisition acquisition = shared.acquisitions().apply(call.terms.ofPermit(slot.number, patience), slot);
        call.asks(acquisition);
        asking++;
        acquisition.result().thenAccept(result -> step(() -> onResult(call, result)));
        return acquisition;
    }

    private void onResult(PermitCall call, AcquireCall.Result result) {
        asking--;
        if (!(result instanceof AcquireCall.Unavailable) || call.result().isDone()) {
            call.end(result);
            return;
        }
        call.onRefused(shared.clock().now());
        if (call.isOutrun()) {
            call.end(result);
        } else {
            List<PermitCall> behind = new ArrayList<>(waiting);
            waiting.clear();
            add(call);
            waiting.addAll(behind); // it keeps its place
        }
    }

    void onGranted(PermitSlot slot) {
        shared.lastUsed().put(key, slot.number);
    }

    /** Another caller, of any process, may take the slot. */
    void leave(PermitSlot slot) {
        slots.remove(slot.number, slot);
    }

    void onReleased(PermitSlot slot, Release release, boolean mayHandOver) {
        boolean forOthers = shared.rules().endsHandOvers(slot.fairness().handOvers());
        if (release.delay() != null) {
            shared.register()
                    .delay(
                            release,
                            () -> step(() -> {
                                send(release);
                                slot.awaitSettled(release);
                            }));
            return;
        }
        PermitCall next = mayHandOver && !forOthers ? next(slot) : null;
        if (next != null) {
            handOver(slot, release, next);
            return;
        }
        if (forOthers) {
            looks.standBack(slot.number, shared.clock().now());
        }
        send(release);
        slot.awaitSettled(release);
    }

    private @Nullable PermitCall next(PermitSlot slot) {
        return waiting.stream()
                .filter(call -> slot.number < call.permits && !isLimited(call))
                .findFirst()
                .orElse(null);
    }

    private void handOver(PermitSlot slot, Release release, PermitCall next) {
        waiting.remove(next);
        slot.onHandedOver();
        shared.seen().ended(release.tenure());
        begin(next, slot).takeOver(release);
    }

    void send(Release release) {
        shared.register().send(release);
    }

    // ---- answers of looks

    List<PermitCall> waiting() {
        return List.copyOf(waiting);
    }

    private void refuseLimited() {
        List<PermitCall> refused = waiting.stream()
                .filter(call -> call.isImpatient() && isHeldHere(call))
                .toList();
        refused.forEach(call -> refuse(call, null));
    }

    /** Returns whether leases of this process keep the caller from a permit. */
    private boolean isHeldHere(PermitCall call) {
        return slots.values().stream().filter(PermitSlot::isHeld).count() >= call.most;
    }

    /** Lets as many callers ask as slots were seen free, in order of arrival. */
    void askFor(List<Integer> free) {
        List<Integer> left = new ArrayList<>(free);
        for (PermitCall call : List.copyOf(waiting)) {
            List<Integer> unused = isLimited(call) ? List.of() : unused(call);
            Optional<Integer> slot = left.stream().filter(unused::contains).findFirst();
            if (slot.isPresent()) {
                left.remove(slot.get());
                waiting.remove(call);
                ask(call, slot.get());
            }
        }
    }

    /** The same look answers all callers that came, or were refused, before it was sent. */
    void answer(long sent) {
        for (PermitCall call : List.copyOf(waiting)) {
            if (call.since() - sent <= 0 && mayAsk(call)) {
                call.onAnswered();
                if (call.isImpatient()) {
                    refuse(call, null);
                }
            }
        }
    }
}
