package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.KeyQueue;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.Release;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One permit of a key: an ordinary lease with its own item, whose next caller the {@link PermitQueue} chooses (protocol
 * 6.6). All steps run in the mailbox of the {@code PermitQueue}.
 */
final class PermitSlot extends KeyQueue {

    /** Long enough for a read by each waiter of the other processes, in nanoseconds. */
    private static final long STAND_BACK = 3 * SECOND / 2;

    final int number;

    private final PermitQueue queue;

    PermitsSeen.Seen seen = PermitsSeen.Seen.NOTHING;
    private @Nullable PermitCall caller; // the last requester
    // The id of the permit's last acquire, which the lease and its release share.
    private @Nullable UUID tenure;
    private boolean isHandOver; // whether the last acquire takes over a lease of this process

    PermitSlot(int number, PermitQueue queue) {
        super(LeaseSpec.slotKey(queue.key, number), queue.parts, STAND_BACK, idle -> {});
        this.number = number;
        this.queue = queue;
    }

    @Override
    protected void step(Runnable task) {
        queue.step(task);
    }

    // ---- reads

    /**
     * The version in the item decides, because two processes may use the same owner name. During a hold and after a
     * forced release, the version belongs to no acquire, so the owner name decides.
     */
    boolean isOfAnother(LeaseItem item) {
        boolean isHolder = Tenure.isOfAHolder(item.version()) && item.releasedAtMillis() == null;
        boolean isOwn = isTaken() && Objects.equals(tenure, Tenure.shownBy(item));
        return isHolder ? !isOwn : !parts.settings.owner().equals(item.owner());
    }

    // ---- callers

    boolean isFreeFor(PermitCall call, long now) {
        return !isTaken() && (call.isImpatient(now) || !fairness.standsBack(now));
    }

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
        Observation ended = seen.isFree() ? seen.lease() : null;
        begin(acquisition(call), loop -> loop.beginKnowing(ended));
    }

    @Override
    protected @Nullable Acquisition takeNext() {
        PermitCall next = queue.nextFor(this);
        isHandOver = next != null;
        return next == null ? null : acquisition(next);
    }

    private Acquisition acquisition(PermitCall call) {
        LeaseSpec spec = call.spec.ofPermit(number, call.permits);
        Acquisition acquisition = new Acquisition(spec, this, parts.newTenure(), parts, null, call.called());
        parts.live.began(acquisition);
        call.requests(acquisition);
        caller = call;
        tenure = acquisition.id();
        acquisition.result().thenAccept(result -> step(() -> queue.onResult(call, this, result)));
        parts.live.stopIfClosed(acquisition);
        return acquisition;
    }

    // ---- replies

    @Override
    public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
        // A permit's acquire calls this method only while the key is paused.
        step(() -> Objects.requireNonNull(caller).beginWaiting(sent));
    }

    @Override
    protected void send(Release release) {
        super.send(release);
        release.settled().thenRun(() -> step(() -> queue.onReleased(this)));
    }
}
