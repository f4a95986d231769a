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
 * The reads with which this process finds free slots of a key (6.6): one read of all slots at a time, for all waiting
 * callers. Decides when to read again, and stores the result of the last read. All fields are used in the mailbox of
 * the queue only.
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
    private long movedAt; // when reads showed a change in the slots of others, or this process released a slot
    private @Nullable Integer toMark;
    private boolean underWay;
    private EngineTime.@Nullable Timer timer;
    private int failures; // in a row
    private @Nullable LeaseStoreException failing;

    /** The slots as one read showed them. */
    private static final class Look {

        private static final Look NONE = new Look(0); // shared by all queues, so nothing may be added to it

        private final long at;
        private final Map<Integer, Observation> held = new HashMap<>(); // by slot
        private final Map<Integer, Long> heldSince = new HashMap<>(); // when the current tenure was first shown
        private final Set<Integer> heldByOthers = new HashSet<>();
        private final List<Integer> free = new ArrayList<>(); // also expired or dead leases; in this process's order
        private final Map<Integer, Observation> ended = new HashMap<>(); // expired and dead leases

        private Look(long at) {
            this.at = at;
        }

        private @Nullable Observation observation(int slot) {
            Observation ofHeld = held.get(slot);
            return ofHeld == null ? ended.get(slot) : ofHeld;
        }

        /**
         * Returns the slots that other processes hold, with the times at which reads first showed their current
         * tenures.
         */
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

    /**
     * Returns the reason why the last read failed; {@code null}: the last read succeeded, or the store has answered an
     * acquire of a slot since then.
     */
    @Nullable
    LeaseStoreException failing() {
        return failing;
    }

    /**
     * Returns a lease of another owner that keeps callers from a permit; {@code null}: the last read showed no such
     * lease.
     */
    @Nullable
    LeaseInfo holder() {
        return last.held.entrySet().stream()
                .filter(slot -> last.heldByOthers.contains(slot.getKey()))
                .map(slot -> slot.getValue().item())
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> parts.inspection.info(item, parts.clock.now()))
                .orElse(null);
    }

    // ---- when to read

    /** Reads the slots now, sets a timer for a later read, or does nothing, depending on the waiting callers. */
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
                    impatient > 0 && impatient < able.size(); // otherwise the other waiters would never mark a slot
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
     * Writes a mark to this slot instead of reading all slots; {@code null}: reads all slots. If a caller does not
     * wait, a read follows the reply to the mark. In both cases, the selection of a slot for a mark ends: a slot is
     * selected again only after a read shows another hand-over of that slot.
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

    /** Marks one slot as waited for, which limits hand-overs within the process of the slot's holder. */
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

    /** Runs the step as soon as the request limiter allows a request, unless all callers have left before that. */
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

    // ---- results of a read

    private String key(int slot) {
        return LeaseSpec.slotKey(queue.key(), slot);
    }

    /**
     * Handles the reply to a read of the first {@code permits} slots. Returns the slots that may be free, in an order
     * specific to this process.
     */
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
     * Returns the lease that the last read showed in this slot although it has ended: it expired, its holder died, or
     * its release by this process was not applied yet. {@code null}: none. An acquire of the slot that starts with this
     * observation can succeed at its first attempt.
     */
    @Nullable
    Observation ended(int slot) {
        return last.ended.get(slot);
    }

    /**
     * Returns whether another process has the slot. Another process may use the same owner name, so the tenure decides.
     * A hold or a forced release leaves a version that belongs to no process; in that case the owner name decides.
     */
    private boolean isOfAnother(int slot, LeaseItem item) {
        boolean isHolder = Tenure.isOfAHolder(item.version()) && item.releasedAtMillis() == null;
        return isHolder
                ? !queue.isOfTenureHere(slot, item)
                : !parts.settings.owner().equals(item.owner());
    }

    /** Records the holder of a slot, and a change of the holder since the last read. */
    private void noteMove(int slot, LeaseItem item, Look next) {
        Observation before = last.held.get(slot);
        Long since = last.heldSince.get(slot);
        boolean same = before != null && Objects.equals(Tenure.shownBy(before.item()), Tenure.shownBy(item));
        boolean isOther = next.heldByOthers.contains(slot);
        next.heldSince.put(slot, same && since != null ? since : Long.valueOf(next.at));
        sawOthers |= isOther;
        if (same || (before == null && !last.free.contains(slot))) {
            return; // unchanged, or not seen before
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

    /** Returns whether permits change owners so quickly that callers try a random slot without a read. */
    private boolean isQuick() {
        return contention != null && contention.isKnown(parts.clock.now()) && contention.isQuick(keptFor());
    }

    /**
     * Returns the time for which reads have shown no change in the slots of other processes. When this process releases
     * a slot, the time starts again at zero.
     */
    private long keptFor() {
        return last == Look.NONE ? 0 : Math.max(0, last.at - movedAt);
    }

    /**
     * Returns whether this process still leaves free slots to other processes, because it released a slot a moment ago
     * and others recently held or wanted a slot.
     */
    boolean standsBack(int permits) {
        return contention != null && contention.standBack(parts.clock.now(), permits, parts.random) > 0;
    }

    /**
     * Handles the end of a release. Other processes that recently held this slot, or waited for it, count as waiting
     * for the key.
     */
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

    /** Called when another owner got a slot that this process tried. */
    void onRefused() {
        onStoreAnswered();
        sawOthers = true;
    }

    /** Returns the slots in an order specific to this process, so that processes seldom try the same slot. */
    private List<Integer> inOrder(int permits) {
        String owner = parts.settings.owner();
        return parts.rules
                .slots(permits)
                .boxed()
                .sorted(Comparator.comparingInt(slot -> Objects.hash(owner, slot) * 0x9E3779B9))
                .toList();
    }

    /**
     * If another process has handed this slot over from one of its callers to the next, selects the slot for a mark.
     * The mark makes that process release the slot to other processes.
     */
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
