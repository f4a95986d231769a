package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseStoreException;
import io.leasekit.observe.Contention;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The looks of one process at the slots of a key (6.6): one at a time, for all callers that wait. They know when to look
 * again, and what the last look showed. All fields live in the mailbox of the queue.
 */
final class PermitLooks {

    private static final long MAX_BACKOFF = SECOND;

    private final PermitQueue queue;
    private final Permits shared;
    private final EngineParts parts;
    private final Mailbox mailbox;
    private Look last = Look.NONE;
    private @Nullable Contention contention; // of all slots
    private boolean sawOthers; // since the last grant
    private long movedAt; // when looks showed a change in the slots of others, or this process released a slot
    private @Nullable Integer toMark;
    private boolean underWay;
    private EngineTime.@Nullable Timer timer;
    private int failures; // in a row
    private @Nullable LeaseStoreException failing;

    /** The slots as one look showed them. */
    private static final class Look {

        private static final Look NONE = new Look(0); // shared by all queues, so nothing may be added to it

        private final long at;
        private final Map<Integer, Observation> held = new HashMap<>(); // by slot
        private final Map<Integer, Long> heldSince = new HashMap<>(); // when its tenure was first shown
        private final Set<Integer> heldByOthers = new HashSet<>();
        private final List<Integer> free = new ArrayList<>(); // also expired or dead, in an order of this process
        private final Map<Integer, Observation> ended = new HashMap<>(); // of the expired and the dead ones

        private Look(long at) {
            this.at = at;
        }

        private @Nullable Observation observation(int slot) {
            Observation ofHeld = held.get(slot);
            return ofHeld == null ? ended.get(slot) : ofHeld;
        }

        /** Returns the slots of other processes, with the times at which their tenures were first shown. */
        private Map<Integer, Long> others() {
            Map<Integer, Long> others = new HashMap<>(heldSince);
            others.keySet().retainAll(heldByOthers);
            return others;
        }
    }

    PermitLooks(PermitQueue queue, Permits shared, Mailbox mailbox) {
        this.queue = queue;
        this.shared = shared;
        this.parts = shared.parts;
        this.mailbox = mailbox;
        this.contention = parts.observer.contention(queue.key());
        this.movedAt = parts.clock.now();
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Returns why the last look failed; {@code null}: it did not, or an acquire of a slot was answered since. */
    @Nullable
    LeaseStoreException failing() {
        return failing;
    }

    /** Returns a lease of another owner that keeps callers from a permit, as the last look showed it; {@code null}: none. */
    @Nullable
    LeaseInfo holder() {
        return last.held.entrySet().stream()
                .filter(slot -> last.heldByOthers.contains(slot.getKey()))
                .map(slot -> slot.getValue().item())
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> parts.inspection.info(item, parts.clock.now()))
                .orElse(null);
    }

    // ---- when to look

    /** Looks now, later or not at all, as the callers need it. */
    void goOn() {
        if (underWay) {
            return;
        }
        List<PermitCall> able =
                queue.waiting().stream().filter(queue::dependsOnLooks).toList();
        boolean quick = isQuick();
        boolean urgent = failures == 0 && able.stream().anyMatch(call -> call.needsLook(quick));
        if (timer != null && (urgent || able.isEmpty())) {
            timer.cancel();
            timer = null;
        }
        if (urgent) {
            long impatient = able.stream().filter(PermitCall::isImpatient).count();
            boolean marksFirst =
                    impatient > 0 && impatient < able.size(); // else waiters beside such callers never mark
            markOrLook(marksFirst ? toMark : null);
        } else if (timer == null && !able.isEmpty()) {
            long now = parts.clock.now();
            long nanos = failures == 0
                    ? parts.polling.delayOfPermits(
                            now - able.get(0).called(), keptFor(), untilEnd(now), contention, able.get(0).permits, now)
                    : parts.requests.retryDelay(failures, MAX_BACKOFF, parts.random);
            timer = parts.time.schedule(nanos, () -> queue.step(this::onTimer));
        }
    }

    private long untilEnd(long now) {
        return last.held.values().stream()
                .mapToLong(one -> parts.observer.untilEnd(one, now))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private void onTimer() {
        timer = null;
        if (underWay || queue.waiting().isEmpty()) {
            return;
        }
        boolean asksAtOnce = toMark == null && failures == 0 && isQuick();
        if (!asksAtOnce || !queue.askAny()) {
            markOrLook(toMark);
        }
    }

    /**
     * Marks this slot, if there is one, in place of a look. A look that cannot wait follows the reply. A slot that was to be
     * marked and is not this one is forgotten, until a look shows that it was handed over again.
     */
    private void markOrLook(@Nullable Integer slot) {
        toMark = null;
        if (slot == null) {
            look();
        } else {
            mark(slot);
        }
    }

    // ---- requests

    private void look() {
        inTurn(request -> {
            int permits = queue.waiting().stream()
                    .mapToInt(call -> call.permits)
                    .max()
                    .orElse(1);
            List<String> keys = parts.rules.slots(permits).mapToObj(this::key).toList();
            request.readEach(keys, reply -> queue.step(() -> onLooked(reply, permits)));
        });
    }

    /** Marks a slot as waited for instead of a look, which limits the hand-overs within the process of its holder. */
    private void mark(int slot) {
        inTurn(request -> {
            BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
            if (reading == null) {
                onNothingShown();
            } else {
                List<MarkCommand> mark = List.of(new MarkCommand(key(slot), reading.middleMillis()));
                request.write(mark, new Requests.Pending(reading, reply -> onNothingShown()));
            }
        });
    }

    /** Runs the step when the turn of its request has come, unless all callers have gone by then. */
    private void inTurn(Consumer<Requests.Outgoing> step) {
        underWay = true;
        parts.requests.inTurn(RequestLimiter.Kind.LOOK, mailbox::execute, null, request -> {
            if (queue.waiting().isEmpty()) {
                onNothingShown();
            } else {
                step.accept(request);
            }
        });
    }

    private void onNothingShown() {
        queue.step(() -> underWay = false);
    }

    private void onLooked(Requests.Reply reply, int permits) {
        underWay = false;
        if (reply.outcome() instanceof StoreReply.FoundEach found) {
            queue.askFor(saw(found, permits, reply));
            if (found.unread().isEmpty()) {
                onStoreAnswered();
                queue.answer(reply.sent(), permits);
            } else { // a slot that was not read may be free, so nobody is refused
                int read = permits - found.unread().size();
                onFailed(new IllegalStateException("Store read " + read + " of " + permits + " slots"), false);
            }
        } else {
            StoreReply.Failed failed = reply.failure();
            onFailed(failed.cause(), failed.kind() == StoreReply.FailureKind.REJECTED);
        }
    }

    private void onStoreAnswered() {
        failures = 0;
        failing = null;
    }

    private void onFailed(Throwable cause, boolean rejected) {
        failures++;
        failing = parts.requests.error(List.of(queue.key()), cause);
        queue.onFailed(failing, rejected);
    }

    // ---- what a look shows

    private String key(int slot) {
        return LeaseSpec.slotKey(queue.key(), slot);
    }

    /** Takes in a look at this many slots; returns those that may be free, in an order of this process. */
    private List<Integer> saw(StoreReply.FoundEach found, int permits, Requests.Reply reply) {
        Map<String, LeaseItem> items = found.items().stream().collect(Collectors.toMap(LeaseItem::key, item -> item));
        if (contention != null) {
            contention.requestEnded(reply.at() - reply.sent());
        }
        toMark = null;
        Look next = new Look(reply.at());
        for (int slot : inOrder(permits)) {
            LeaseItem item = items.get(key(slot));
            Observation now = item == null ? null : parts.observer.observe(last.observation(slot), item, reply);
            if (item != null && now != null && !parts.observer.mayBeTaken(now, reply.at())) {
                next.held.put(slot, now);
                sawHeld(slot, item, next);
                shared.warnOfAnotherNumber(queue.key(), slot, permits, item);
            } else if (found.shows(key(slot))) {
                next.free.add(slot);
                if (now != null && now.item().version() != null) {
                    next.ended.put(slot, now);
                }
            }
        }
        if (!next.others().equals(last.others())) {
            movedAt = next.at;
        }
        last = next;
        return List.copyOf(next.free);
    }

    private void sawHeld(int slot, LeaseItem item, Look next) {
        if (isOfAnother(slot, item)) {
            next.heldByOthers.add(slot);
        }
        noteMove(slot, item, next);
        queue.onHeld(slot);
        parts.sharedKeys.held(queue.key(), item);
        noteHandOver(slot, item, next);
    }

    /**
     * Returns the observation of a lease that has ended without a release, or whose release by this process was not yet
     * applied, as the last look showed; {@code null}: the slot had none. An acquire of the slot that knows it needs no
     * refusal first.
     */
    @Nullable
    Observation ended(int slot) {
        return last.ended.get(slot);
    }

    /**
     * Returns whether another process has the slot. Its owner may have the name of this one, so the tenure decides. A hold and a
     * forced release leave a version of no process, so there the name decides.
     */
    private boolean isOfAnother(int slot, LeaseItem item) {
        boolean isHolder = Tenure.isOfAHolder(item.version()) && item.releasedAtMillis() == null;
        return isHolder
                ? !queue.isOfTenureHere(slot, item)
                : !parts.settings.owner().equals(item.owner());
    }

    /** Notes who has a slot, and whether that is another one than at the last look. */
    private void noteMove(int slot, LeaseItem item, Look next) {
        Observation before = last.held.get(slot);
        Long since = last.heldSince.get(slot);
        boolean same = before != null && Objects.equals(Tenure.shownBy(before.item()), Tenure.shownBy(item));
        boolean isOther = next.heldByOthers.contains(slot);
        next.heldSince.put(slot, same && since != null ? since : Long.valueOf(next.at));
        sawOthers |= isOther;
        if (same || (before == null && !last.free.contains(slot))) {
            return; // as before, or not seen before
        }
        Contention known = parts.observer.contended(queue.key(), next.at);
        contention = known;
        if (before != null && since != null) {
            known.ended(last.at - since);
        }
        if (isOther) {
            known.saw(item.owner() == null ? "" : item.owner(), next.at);
        }
    }

    /** Returns whether permits move so quickly between processes that a caller asks for any of them without a look. */
    private boolean isQuick() {
        return contention != null && contention.isKnown(parts.clock.now()) && contention.isQuick(keptFor());
    }

    /** Returns for how long looks have shown the same tenures of other processes, since this one last released a slot. */
    private long keptFor() {
        return last == Look.NONE ? 0 : Math.max(0, last.at - movedAt);
    }

    /** Returns whether this process, which has just released a slot, leaves free ones to others for a while. */
    boolean standsBack(int permits) {
        return contention != null && contention.standBack(parts.clock.now(), permits, parts.random) > 0;
    }

    /** Takes in the end of a release. If others held the slot or waited for it recently, they count as waiting for the key. */
    void onReleased(int slot) {
        Contention ofSlot = parts.observer.contention(key(slot));
        long now = parts.clock.now();
        movedAt = now;
        boolean othersWait = ofSlot != null && ofSlot.isKnown(now);
        if (othersWait) {
            contention = parts.observer.contended(queue.key(), now);
        }
        if (contention != null) {
            contention.released(othersWait, now);
        }
    }

    void onGranted(long now) {
        onStoreAnswered();
        if (contention != null) {
            contention.granted(sawOthers, now);
        }
        sawOthers = false;
    }

    /** Another owner got a slot that was asked for. */
    void onRefused() {
        onStoreAnswered();
        sawOthers = true;
    }

    /** Processes begin at different slots, so they seldom ask for the same one. */
    private List<Integer> inOrder(int permits) {
        String owner = parts.settings.owner();
        return parts.rules
                .slots(permits)
                .boxed()
                .sorted(Comparator.comparingInt(slot -> Objects.hash(owner, slot) * 0x9E3779B9))
                .toList();
    }

    /** A slot that moves within another process is marked, so that its hand-overs end. */
    private void noteHandOver(int slot, LeaseItem item, Look next) {
        Observation before = last.held.get(slot);
        boolean moved = before != null
                && !Objects.equals(Tenure.shownBy(before.item()), Tenure.shownBy(item))
                && Objects.equals(before.item().owner(), item.owner());
        if (toMark == null && moved && next.heldByOthers.contains(slot) && item.waitingSinceMillis() == null) {
            toMark = slot;
        }
    }
}
