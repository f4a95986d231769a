package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The looks of one process at the slots of a key (6.6): one at a time, for all callers that wait. Lives in the mailbox of
 * the queue.
 */
final class PermitLooking extends Mailbox.Pausing {

    private static final long MAX_BACKOFF = SECOND;

    private final PermitQueue queue;
    private final PermitLooks looks;
    private final PermitParts shared;
    private boolean underWay;
    private boolean pausing;
    private int failures; // in a row
    private @Nullable LeaseStoreException failing;

    PermitLooking(PermitQueue queue, PermitLooks looks, PermitParts shared, Mailbox mailbox) {
        super(mailbox, shared.time());
        this.queue = queue;
        this.looks = looks;
        this.shared = shared;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** Returns why the last look failed; {@code null}: it did not. */
    @Nullable
    LeaseStoreException failing() {
        return failing;
    }

    /** Looks now, later or not at all, as the callers need it. */
    void goOn() {
        if (underWay) {
            return;
        }
        List<PermitCall> able = queue.waiting().stream().filter(queue::mayAsk).toList();
        boolean urgent = failures == 0 && able.stream().anyMatch(PermitCall::needsLook);
        if (able.isEmpty() || urgent) {
            pausing = false;
            cancelPause();
        }
        if (urgent) {
            look();
        } else if (!able.isEmpty() && !pausing) {
            pausing = true;
            long now = shared.clock().now();
            long waited = now - able.get(0).called();
            after(failures == 0 ? looks.pause(waited, now) : backoff(), () -> queue.step(this::onPaused));
        }
    }

    private long backoff() {
        long backoff = Requests.backoff(failures, MAX_BACKOFF, shared.random());
        return shared.requests().mayRetry() ? backoff : Math.max(backoff, MAX_BACKOFF);
    }

    private void onPaused() {
        pausing = false;
        if (underWay || queue.waiting().isEmpty()) {
            return;
        }
        Integer slot = looks.takeToMark();
        if (slot == null) {
            look();
        } else {
            mark(slot);
        }
    }

    private void look() {
        underWay = true;
        int permits =
                queue.waiting().stream().mapToInt(call -> call.permits).max().orElse(1);
        shared.requests()
                .inTurn(
                        Gate.Kind.LOOK,
                        this::receive,
                        null,
                        request -> request.readEach(
                                looks.keys(permits), reply -> queue.step(() -> onLooked(reply, permits))));
    }

    /** Marks a slot as waited for instead of a look, which limits the hand-overs within the process of its holder. */
    private void mark(int slot) {
        underWay = true;
        shared.requests().inTurn(Gate.Kind.LOOK, this::receive, null, request -> {
            BoundedClock.Reading reading = shared.rules().beforeSending(shared.clock());
            if (reading == null) {
                queue.step(() -> underWay = false);
            } else {
                request.write(
                        List.of(new MarkCommand(looks.key(slot), reading.middleMillis())),
                        new Requests.Pending(reading, Requests.TIMEOUT, reply -> queue.step(() -> underWay = false)));
            }
        });
    }

    private void onLooked(Requests.Reply reply, int permits) {
        underWay = false;
        if (reply.outcome() instanceof StoreReply.FoundEach found) {
            failures = 0;
            failing = null;
            queue.askFor(looks.saw(found, permits, reply.at()));
            queue.answer(reply.sent());
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed);
        }
    }

    private void onFailed(StoreReply.Failed failed) {
        failures++;
        LeaseStoreException error = shared.requests().error(List.of(queue.key()), failed.cause());
        failing = error;
        long now = shared.clock().now();
        boolean rejected = failed.kind() == StoreReply.FailureKind.REJECTED;
        for (PermitCall call : queue.waiting()) {
            boolean over = call.called() + shared.storeTimeout() - now <= 0 && call.waitsUntil() - now <= 0;
            if (rejected || over) {
                queue.refuse(call, error);
            }
        }
    }
}
