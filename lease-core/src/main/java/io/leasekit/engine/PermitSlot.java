package io.leasekit.engine;

import io.leasekit.observe.Contention;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One slot of a key, for as long as this process tries, holds or releases the slot (6.6). During this time, no other
 * caller of this process tries the slot. Used in the mailbox of the queue only. The states:
 *
 * <ul>
 *   <li>Tried: counts as a permit of this process ({@link #isTaken()}).
 *   <li>Held, kept by a short hold, or handed over to a call that has no grant yet: counts as a permit of this process,
 *       and {@link #isHeld()} returns true.
 *   <li>Given back by the lease and being released: no longer counts as a permit. The slot leaves the queue when the
 *       release is settled, that is, when an attempt was answered or has timed out.
 * </ul>
 */
final class PermitSlot implements QueuePolicy {

    final int number;

    private final PermitQueue queue;
    private final Contention.Fairness fairness = new Contention.Fairness();
    private @Nullable PermitCall caller; // the last call that tried this slot
    private @Nullable UUID tenure; // of the last acquire of this slot
    private @Nullable LeaseState holder;
    private boolean kept; // by a short hold, which only Lease.release(keep) gives a permit; its release follows
    private boolean handedOver; // to a caller without a grant, also while a pause delays that caller
    private boolean releasing;

    PermitSlot(PermitQueue queue, int number) {
        this.queue = queue;
        this.number = number;
    }

    /** Returns whether this process has a lease of this slot: held, kept by a hold, or being handed over. */
    boolean isHeld() {
        return kept || handedOver || (holder != null && !holder.isGivenBack());
    }

    /** Returns whether this slot counts as a permit of this process, because this process holds or tries the slot. */
    boolean isTaken() {
        return !releasing && (holder == null || isHeld());
    }

    Contention.Fairness fairness() {
        return fairness;
    }

    /** Records that a call tries this slot, with an acquire of this tenure. */
    void onAsked(PermitCall call, UUID tenure) {
        caller = call;
        this.tenure = tenure;
    }

    /**
     * Returns whether the item shows the tenure with which this process last acquired the slot. The lease and its
     * release have the same tenure as the acquire.
     */
    boolean isShownBy(LeaseItem item) {
        return tenure != null && tenure.equals(Tenure.shownBy(item));
    }

    /** Records that a short hold keeps others from the slot. */
    void onKept() {
        kept = true;
    }

    /** Records that the lease is being handed over to the next caller. */
    void onHandedOver() {
        holder = null;
        handedOver = true;
    }

    @Override
    public void onPaused(Acquisition acquisition, long now) {
        queue.step(() -> {
            if (caller != null) {
                caller.beginWaiting(now);
            }
        });
    }

    @Override
    public void onGranted(LeaseState lease, Tenure.Grant grant) {
        queue.step(() -> {
            caller = null;
            holder = lease;
            handedOver = false;
            fairness.onGranted(grant.waitedFor() && grant.handedOver());
            queue.onGranted(this);
        });
    }

    @Override
    public void onEnded(Acquisition acquisition, @Nullable Release release) {
        queue.step(() -> awaitSettled(release, () -> queue.free(this)));
    }

    @Override
    public void onLost(LeaseState lease) {
        queue.step(() -> {
            if (holder == lease) {
                holder = null;
                queue.free(this); // the later release finds no holder here
            }
        });
    }

    @Override
    public void release(LeaseState lease, Release release, boolean mayHandOver) {
        queue.step(() -> {
            if (holder == lease) {
                queue.release(this, release, mayHandOver);
            } else {
                queue.send(release); // the lease was lost, so another owner may have the slot by now
            }
        });
    }

    /**
     * Runs {@code free} as soon as the release is settled, or immediately if there is no release. The table would
     * refuse an acquire that is sent before the release is settled.
     */
    void awaitSettled(@Nullable Release release, Runnable free) {
        holder = null;
        kept = false;
        handedOver = false;
        if (release == null || release.settled().isDone()) {
            free.run();
        } else {
            releasing = true;
            release.settled().thenRun(() -> queue.step(free));
        }
    }
}
