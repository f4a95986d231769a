package io.leasekit.engine;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseStoreException;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.SeenItems;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The looks of one process at the slots of a key (6.6): one at a time, for all callers that wait. They know when to look
 * again, and what the last look showed. All fields live in the mailbox of the queue.
 */
final class PermitLooks {

    private static final long FIRST = 20 * MILLI;
    private static final long STEADY = 2 * SECOND;
    private static final long MAX_BACKOFF = SECOND;

    private final PermitQueue queue;
    private final Permits.Shared shared;
    private final Mailbox mailbox;
    private Map<Integer, LeaseItem> held = Map.of(); // by slot, in the last look
    private @Nullable Integer toMark;
    private boolean underWay;
    private EngineTime.@Nullable Timer timer;
    private int failures; // in a row
    private @Nullable LeaseStoreException failing;

    PermitLooks(PermitQueue queue, Permits.Shared shared, Mailbox mailbox) {
        this.queue = queue;
        this.shared = shared;
        this.mailbox = mailbox;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Returns why the last look failed; {@code null}: it did not. */
    @Nullable
    LeaseStoreException failing() {
        return failing;
    }

    /** Returns a lease that keeps callers from a permit, as the last look showed it; {@code null}: none. */
    @Nullable
    LeaseInfo holder() {
        return held.values().stream()
                .min(Comparator.comparing(LeaseItem::key))
                .map(item -> shared.parts().inspection.info(item, shared.now()))
                .orElse(null);
    }

    // ---- when to look

    /** Looks now, later or not at all, as the callers need it. */
    void goOn() {
        if (underWay) {
            return;
        }
        List<PermitCall> able = queue.waiting().stream().filter(queue::mayAsk).toList();
        boolean urgent = failures == 0 && able.stream().anyMatch(PermitCall::needsLook);
        if (timer != null && (urgent || able.isEmpty())) {
            timer.cancel();
            timer = null;
        }
        if (urgent) {
            look();
        } else if (timer == null && !able.isEmpty()) {
            long now = shared.now();
            long nanos = failures == 0 ? delay(now - able.get(0).called(), now) : backoff();
            timer = shared.parts().time.schedule(nanos, () -> queue.step(this::onTimer));
        }
    }

    /**
     * Returns the delay before the next look. It grows with the wait. At first, no delay lasts much beyond the earliest
     * possible end of a lease; from the third second on, it is at least a second.
     */
    private long delay(long waited, long now) {
        long half = Math.max(FIRST, Math.min(SECOND, waited / 2));
        long nanos = half + shared.parts().random.nextLong(half / 4);
        return waited >= STEADY ? nanos : Math.min(nanos, Math.max(FIRST, untilEnd(now)));
    }

    private long untilEnd(long now) {
        return held.values().stream()
                .mapToLong(item -> shared.parts().observer.untilEnd(new SeenItems.Observation(item, now), now))
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private long backoff() {
        long backoff = Requests.backoff(failures, MAX_BACKOFF, shared.parts().random);
        return shared.parts().requests.mayRetry() ? backoff : Math.max(backoff, MAX_BACKOFF);
    }

    private void onTimer() {
        timer = null;
        Integer slot = toMark;
        toMark = null;
        if (underWay || queue.waiting().isEmpty()) {
            return;
        } else if (slot == null) {
            look();
        } else {
            mark(slot);
        }
    }

    // ---- requests

    private void look() {
        underWay = true;
        int permits =
                queue.waiting().stream().mapToInt(call -> call.permits).max().orElse(1);
        List<String> keys =
                shared.parts().rules.slots(permits).mapToObj(this::key).toList();
        shared.parts()
                .requests
                .inTurn(
                        RequestLimiter.Kind.LOOK,
                        mailbox::execute,
                        null,
                        request -> request.readEach(keys, reply -> queue.step(() -> onLooked(reply, permits))));
    }

    /** Marks a slot as waited for instead of a look, which limits the hand-overs within the process of its holder. */
    private void mark(int slot) {
        underWay = true;
        shared.parts().requests.inTurn(RequestLimiter.Kind.LOOK, mailbox::execute, null, request -> {
            BoundedClock.Reading reading = shared.parts().rules.beforeSending(shared.parts().clock);
            Runnable goOn = () -> queue.step(() -> underWay = false);
            if (reading == null) {
                goOn.run();
            } else {
                List<MarkCommand> mark = List.of(new MarkCommand(key(slot), reading.middleMillis()));
                request.write(mark, new Requests.Pending(reading, reply -> goOn.run()));
            }
        });
    }

    private void onLooked(Requests.Reply reply, int permits) {
        underWay = false;
        if (reply.outcome() instanceof StoreReply.FoundEach found) {
            queue.askFor(saw(found, permits, reply.at()));
            if (found.unread().isEmpty()) {
                failures = 0;
                failing = null;
                queue.answer(reply.sent());
            } else { // a slot that was not read may be free, so nobody is refused
                int read = permits - found.unread().size();
                onFailed(new IllegalStateException("Store read " + read + " of " + permits + " slots"), false);
            }
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed.cause(), failed.kind() == StoreReply.FailureKind.REJECTED);
        }
    }

    private void onFailed(Throwable cause, boolean rejected) {
        failures++;
        failing = shared.parts().requests.error(List.of(queue.key()), cause);
        queue.onFailed(failing, rejected);
    }

    // ---- what a look shows

    private String key(int slot) {
        return LeaseSpec.slotKey(queue.key(), slot);
    }

    /** Takes in a look at this many slots; returns those that may be free, in an order of this process. */
    private List<Integer> saw(StoreReply.FoundEach found, int permits, long now) {
        Map<String, LeaseItem> items = new HashMap<>();
        found.items().forEach(item -> items.put(item.key(), item));
        Map<Integer, LeaseItem> before = held;
        held = new HashMap<>();
        toMark = null;
        List<Integer> free = new ArrayList<>();
        for (int slot : inOrder(permits)) {
            LeaseItem item = items.get(key(slot));
            if (item != null && !shared.parts().observer.mayBeTaken(new SeenItems.Observation(item, now), now)) {
                held.put(slot, item);
                queue.onHeld(slot);
                shared.parts().sharedKeys.held(queue.key(), item);
                shared.warnOfAnotherNumber(queue.key(), slot, permits, item);
                noteHandOver(slot, before.get(slot), item);
            } else if (found.shows(key(slot))) {
                free.add(slot);
            }
        }
        return free;
    }

    /** Processes begin at different slots, so they seldom ask for the same one. */
    private List<Integer> inOrder(int permits) {
        String owner = shared.parts().settings.owner();
        return shared.parts()
                .rules
                .slots(permits)
                .boxed()
                .sorted(Comparator.comparingInt(slot -> Objects.hash(owner, slot) * 0x9E3779B9))
                .toList();
    }

    /** A slot that moves within another process is marked, so that its hand-overs end. */
    private void noteHandOver(int slot, @Nullable LeaseItem before, LeaseItem item) {
        boolean moved = before != null
                && !Objects.equals(tenure(before), tenure(item))
                && Objects.equals(before.owner(), item.owner());
        boolean isOfAnother = !shared.parts().settings.owner().equals(item.owner());
        if (toMark == null && moved && isOfAnother && item.waitingSinceMillis() == null) {
            toMark = slot;
        }
    }

    private static @Nullable UUID tenure(LeaseItem item) {
        return item.version() == null ? null : Tenure.tenureOf(item.version());
    }
}
