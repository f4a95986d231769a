package io.leasekit.kernel;

import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.internal.AcquireObstacle;
import io.leasekit.internal.Internal;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One acquire, from its entry into the queue of the key until it has a lease or ends without one (protocol 5.1, 5.5,
 * 6).
 *
 * <pre>
 * QUEUED   -> RUNNING    first in the queue; the acquire starts to send requests
 * QUEUED   -> DONE       unavailable, failed or cancelled; the acquire has sent no request
 * RUNNING  -> GRANTED    the table shows the lease, which is handed out as soon as 4.1 allows
 * RUNNING  -> DONE       unavailable, already ran or failed
 * RUNNING  -> GIVEN_UP   cancelled; the acquire waits for the reply or timeout of an attempt in flight
 * GRANTED  -> DONE       lease handed out; or lost, cancelled or failed before the hand-out
 * GIVEN_UP -> DONE       the attempt in flight has a reply or has timed out
 * </pre>
 *
 * <p>An acquire that ends without a lease releases everything that its unanswered requests may have written. All steps
 * run in the mailbox of the acquire.
 */
@Internal
public class Acquisition extends AcquireCall {

    private enum Phase {
        QUEUED,
        RUNNING,
        GRANTED,
        GIVEN_UP,
        DONE
    }

    /** The value of {@code obstacle} if another caller was faster and the reply showed no item. */
    private static final Object NO_ITEM = new Object();

    private final LocalQueue localQueue;
    private final Tenure tenure;
    private final EngineParts parts;
    private final Mailbox mailbox = new Mailbox(this::onFailedStep);
    // What last kept the lease from this acquire: a LeaseItem, NO_ITEM, a LeasePause or a LeaseStoreException.
    private volatile @Nullable Object obstacle;

    // Only steps in the mailbox of this acquire use the fields below; other threads only read 'phase'.
    private volatile Phase phase = Phase.QUEUED;
    private @Nullable AcquireLoop loop; // null unless this acquire runs, so that a held lease keeps no loop in memory
    private EngineTime.@Nullable Timer patience;
    private @Nullable LeaseState granted;

    public Acquisition(
            LeaseSpec spec,
            LocalQueue localQueue,
            Tenure tenure,
            EngineParts parts,
            Sender.@Nullable Sending sending,
            long called) {
        super(spec, parts.time, parts.reports, sending, called);
        this.localQueue = localQueue;
        this.tenure = tenure;
        this.parts = parts;
    }

    @Override
    public UUID id() {
        return tenure.id();
    }

    boolean isRunning() {
        return phase == Phase.RUNNING;
    }

    public void onEntered() {
        mailbox.execute(() -> {
            leaveSending();
            if (phase == Phase.QUEUED) {
                beginWaiting(called());
            }
        });
        measure();
        parts.live.stopIfClosed(this);
    }

    public final void onQueued() {
        awaitTurn(called() + (hasWait() ? spec.waitFor() : parts.storeTimeout) - time.nanos());
    }

    public final void awaitTurn(long nanos) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                cancelPatience();
                patience = time.schedule(Math.max(0, nanos), () -> localQueue.onImpatient(this));
            }
        });
    }

    /** {@code begin}: sends the first request of the acquire. */
    public void start(Consumer<AcquireLoop> begin) {
        mailbox.execute(() -> run(begin));
    }

    private void run(Consumer<AcquireLoop> begin) {
        if (phase == Phase.QUEUED) {
            cancelPatience();
            phase = Phase.RUNNING;
            AcquireLoop begun = new AcquireLoop(this, spec, tenure, mailbox, parts);
            loop = begun;
            begin.accept(begun);
        } else {
            localQueue.onEnded(this, null); // this acquire has ended since the queue chose it
        }
    }

    /** The first request of this acquire takes the lease over from another caller of this process. */
    public void beginByHandOver(Release predecessor) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                parts.releases.handedOver(predecessor);
                run(begun -> begun.beginByHandOver(predecessor));
            } else {
                parts.releases.send(predecessor);
                localQueue.onEnded(this, predecessor);
            }
        });
    }

    void hurry() {
        mailbox.execute(() -> {
            if (phase == Phase.RUNNING && loop != null) {
                loop.hurry();
            }
        });
    }

    /** An acquire that has ended gets no lease, so a late grant is released. */
    public final void end(Result ending) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                finish(ending);
            } else if (ending instanceof Granted late) {
                late.held().releaseAsync();
            }
        });
    }

    @Override
    public void cancel(LeaseException why) {
        mailbox.execute(() -> {
            stopNow(why);
            if (granted != null) {
                granted.noteUnused(); // the caller has left without the lease
                granted.giveBack();
            }
        });
    }

    @Override
    public void stop(LeaseException why) {
        mailbox.execute(() -> stopNow(why));
    }

    private void stopNow(LeaseException why) {
        boolean notYetHandedOut = result().complete(new Failed(why));
        if (notYetHandedOut && granted != null) {
            granted.giveBack();
        } else if (phase == Phase.QUEUED) {
            end();
        } else if (phase == Phase.RUNNING) {
            giveUp();
        }
    }

    private void giveUp() {
        phase = Phase.GIVEN_UP;
        if (loop == null || !loop.giveUp()) {
            end();
        }
    }

    /** Handles a reply that arrives after this acquire was cancelled. */
    void onAnsweredInVain(StoreReply outcome) {
        if (phase != Phase.GIVEN_UP) {
            return;
        }
        if (!outcome.isSurelyNotWritten()) {
            tenure.leaveUnanswered();
        }
        end();
    }

    /** If the caller does not have the lease yet, releases everything that this acquire may have written. */
    private void onFailedStep(Throwable error) {
        Phase before = phase;
        phase = Phase.DONE;
        stopNow(new LeaseException("Acquire of lease " + spec.name() + " failed", error));
        if (before != Phase.DONE && granted == null) {
            tenure.leaveUnanswered();
            end();
        }
        parts.live.ended(this);
    }

    /** {@code sent}: the monotonic time at which the acquire sent the request. */
    void onHeldByOther(@Nullable LeaseItem item, long sent) {
        obstacle = item == null ? NO_ITEM : item;
        beginWaiting(sent);
        localQueue.onHeldByOther(this, item, sent);
    }

    void onPaused(LeasePause pause, long now) {
        obstacle = pause;
        beginWaiting(now);
        localQueue.onHeldByOther(this, null, now);
    }

    /** Records that the store fails, or that renewals of this process are late. */
    void onFailing(LeaseStoreException error) {
        obstacle = error;
        localQueue.onFailing(error);
    }

    @Override
    public AcquireObstacle.Seen seen() {
        Object last = obstacle;
        if (phase != Phase.RUNNING) {
            return super.seen();
        }
        if (last == null) {
            return new AcquireObstacle.Seen(false, false, "no reply has come to its campaign");
        }
        if (last instanceof LeasePause pause) {
            return new AcquireObstacle.Seen(false, true, Unavailable.paused(pause, spec));
        }
        if (last instanceof LeaseStoreException failure) {
            return new AcquireObstacle.Seen(false, false, Text.why(failure));
        }
        if (!(last instanceof LeaseItem item) || item.version() == null) {
            return new AcquireObstacle.Seen(false, false, "others were faster each time");
        }
        if (item.releasedAtMillis() != null) {
            return new AcquireObstacle.Seen(false, false, "its lease was released, but is kept from others by a hold");
        }
        boolean revoked = !Tenure.isOfAHolder(item.version());
        return new AcquireObstacle.Seen(
                !revoked,
                false,
                revoked
                        ? "its lease was released by force, and is free when it would have expired"
                        : "owner " + Text.quote(item.owner()));
    }

    void onGranted(Tenure.Grant grant, Requests.Reply reply) {
        LeaseState lease = new LeaseState(spec, tenure, grant, mailbox, localQueue, parts);
        phase = Phase.GRANTED;
        loop = null;
        granted = lease;
        parts.live.granted(lease);
        lease.start(grant, reply).whenComplete((ready, lost) -> mailbox.execute(() -> handOut(lease, lost)));
    }

    private void handOut(LeaseState lease, @Nullable Throwable lost) {
        if (lost == null && lease.mayBeHandedOut()) {
            if (result().complete(new Granted(lease.forHolder()))) {
                lease.handedOut();
            }
        } else {
            Throwable why = lost == null ? lease.notValid() : lost;
            lease.giveBack();
            result().complete(new Failed(new LeaseStoreException(
                    "Lease " + spec.name() + " was granted too late and could not be renewed in time", why)));
        }
        phase = Phase.DONE;
        parts.live.ended(this);
    }

    /** {@code sent}: the monotonic time at which the acquire sent the request. */
    void refuse(@Nullable LeaseItem item, long sent, long now) {
        localQueue.onRefused(item, sent);
        finish(new Unavailable(item == null ? null : parts.records.info(item, now)));
    }

    void onAlreadyRan(LeaseItem item, long now) {
        parts.records.onDone(spec, item);
        finish(new AlreadyRan(parts.records.info(item, now)));
    }

    void finish(Result ending) {
        // A call for a permit tries another slot, so this result is not reported.
        if (ending instanceof Unavailable unavailable && spec.permit() == null) {
            reports.unavailable(spec, unavailable);
        } else if (ending instanceof AlreadyRan done && spec.once() != null) {
            reports.alreadyRan(spec, spec.once(), done.shown());
        }
        try {
            end();
        } finally {
            result().complete(ending); // which may pass on a lease that nobody else would release
        }
    }

    /**
     * Protocol 5.5, 6: releases what an unanswered attempt may have written. If another caller's lease was to be handed
     * over to this acquire, releases that lease.
     */
    private void end() {
        long ended = phase == Phase.GIVEN_UP && loop != null ? loop.givenUp() : time.nanos();
        phase = Phase.DONE;
        cancelPatience();
        Release predecessor = null;
        if (loop != null) {
            loop.cancelWait();
            predecessor = loop.predecessor();
            loop = null;
        }
        Release release = null;
        boolean mayHaveWritten = tenure.isUnanswered() && tenure.last() > 0;
        if (predecessor != null || mayHaveWritten) {
            release = parts.releases.ofGivenUp(spec, tenure, predecessor);
            parts.releases.send(release, ended);
        }
        localQueue.onEnded(this, release);
        parts.live.ended(this);
    }

    private void cancelPatience() {
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
    }
}
