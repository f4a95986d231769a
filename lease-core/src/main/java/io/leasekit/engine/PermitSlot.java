package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.KeyQueue;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.Release;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One permit of a key: an ordinary lease with its own item, whose next caller the {@link PermitQueue} chooses (protocol
 * 6.6). All steps run in the mailbox of the {@code PermitQueue}.
 */
final class PermitSlot extends KeyQueue {

    /** This order differs between processes, so that two processes seldom request the same free permit. */
    static final Comparator<PermitSlot> ORDER =
            Comparator.comparingInt(slot -> Objects.hash(slot.parts.settings.owner(), slot.number) * 0x9E3779B9);

    final int number;
    private final PermitQueue queue;

    Seen seen = new Seen(null, false, false, 0);
    // The id of the permit's last acquire, which the lease and its release share.
    private @Nullable UUID tenure;
    private boolean isHandOver; // whether the last acquire began as a hand-over

    /**
     * The permit according to the last read. If the permit is not free and there is no lease, the read did not show the permit.
     *
     * @param lease the holder's lease; if the permit is free, an ended lease that an acquire may overwrite
     * @param since the monotonic time at which a read first showed the present holder
     */
    record Seen(@Nullable Observation lease, boolean isFree, boolean isOther, long since) {}

    PermitSlot(int number, PermitQueue queue) {
        super(LeaseSpec.slotKey(queue.key, number), queue.parts, idle -> {});
        this.number = number;
        this.queue = queue;
    }

    /** Long enough for a read by each waiter of the other processes. */
    @Override
    protected long standBack() {
        return 3 * SECOND / 2;
    }

    @Override
    protected void step(Runnable task) {
        queue.step(task);
    }

    // ---- reads

    @Nullable
    LeaseItem holder() {
        return seen.isFree || seen.lease == null ? null : seen.lease.item();
    }

    /**
     * {@code item} is {@code null} if the read showed no item. {@code isShown}: whether the read showed if there is one.
     */
    void saw(@Nullable LeaseItem item, boolean isShown, int permits, Requests.Reply reply) {
        Observation now = item == null ? null : parts.observer.observe(seen.lease, item, reply);
        if (item == null || now == null || parts.observer.mayBeTaken(now, reply.at())) {
            seen = new Seen(item == null || item.version() == null ? null : now, isShown, false, 0);
            return;
        }
        boolean isOther = isOfAnother(item);
        seen = new Seen(now, false, isOther, queue.heldSince(this, item, isOther, reply.at()));
        fairness.onHeldByOther();
        parts.records.onHeldByOther(queue.key, item);
        queue.shared.warnOfAnotherNumber(queue.key, number, permits, item);
    }

    /**
     * The version in the item decides, because two processes may use the same owner name. During a hold and after a
     * forced release, the version belongs to no acquire, so the owner name decides.
     */
    private boolean isOfAnother(LeaseItem item) {
        boolean isHolder = Tenure.isOfAHolder(item.version()) && item.releasedAtMillis() == null;
        boolean isOwn = isTaken() && Objects.equals(tenure, Tenure.shownBy(item));
        return isHolder ? !isOwn : !parts.settings.owner().equals(item.owner());
    }

    // ---- callers

    /** Returns whether the permit counts against the limit of this process: requested or held, but not released. */
    boolean isCounted() {
        return isActive() || isHeld();
    }

    @Override
    public boolean isHeld() {
        return super.isHeld() || (isActive() && isHandOver);
    }

    void request(PermitCall call) {
        isHandOver = false;
        Observation ended = seen.isFree ? seen.lease : null;
        begin(acquisition(call), loop -> loop.beginKnowing(ended));
    }

    @Override
    protected @Nullable Acquisition takeNext() {
        Optional<PermitCall> next = queue.waiting().stream()
                .filter(call -> number < call.permits && !queue.isLimited(call))
                .findFirst();
        isHandOver = next.isPresent();
        return next.map(this::acquisition).orElse(null);
    }

    private Acquisition acquisition(PermitCall call) {
        LeaseSpec spec = call.spec.ofPermit(number, call.permits);
        Acquisition acquisition = new Acquisition(spec, this, parts.newTenure(), parts, null, call.called());
        parts.live.began(acquisition);
        call.waits = false;
        call.last = acquisition;
        tenure = acquisition.id();
        acquisition.result().thenAccept(result -> step(() -> queue.onResult(call, this, result)));
        parts.live.stopIfClosed(acquisition);
        return acquisition;
    }

    // ---- replies

    @Override
    public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
        // A permit's acquire calls this method only while the key is paused.
        step(() ->
                queue.calls.stream().filter(call -> call.last == acquisition).forEach(call -> call.beginWaiting(sent)));
    }

    @Override
    protected void send(Release release) {
        super.send(release);
        release.settled().thenRun(() -> step(() -> queue.onReleased(this)));
    }
}
