package io.leasekit;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One acquire call, from its place in the queue of its key to its lease or its end (protocol 5.1, 5.5, 6).
 *
 * <pre>
 * QUEUED   -> RUNNING    its turn has come: it sends requests
 * QUEUED   -> DONE       unavailable, failed or cancelled; it has sent nothing
 * RUNNING  -> GRANTED    the table shows the lease; it is handed out once it may be (4.1)
 * RUNNING  -> DONE       unavailable, already ran or failed
 * RUNNING  -> GIVEN_UP   cancelled; the answer or deadline of an attempt in flight is waited for
 * GRANTED  -> DONE       handed out, or lost before
 * GIVEN_UP -> DONE
 * </pre>
 *
 * Whatever ends it without a grant, what may have been written is released in the background. All steps run in the lease's
 * mailbox.
 */
final class Acquisition {

    private static final Logger log = LoggerFactory.getLogger(Acquisition.class);

    private enum Phase {
        QUEUED,
        RUNNING,
        GRANTED,
        GIVEN_UP,
        DONE
    }

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Turns queue;
    private final Mailbox mailbox = new Mailbox(this::onFailedStep);
    private final Tenure tenure;
    private final long called;
    private final CompletableFuture<AcquireResult> result = new CompletableFuture<>();

    private volatile boolean waits;
    private long waitingSince; // set before 'waits' is

    // the rest lives in the mailbox
    private Phase phase = Phase.QUEUED;
    private @Nullable Attempts attempts; // while it runs: a lease that is held keeps nothing of them
    private EngineTime.@Nullable Timer patience;
    private @Nullable HeldLease granted;

    Acquisition(LeaseEngine engine, LeaseTerms terms, Turns queue) {
        this.engine = engine;
        this.terms = terms;
        this.queue = queue;
        this.tenure = new Tenure(engine.newTenure());
        this.called = engine.time.nanos();
    }

    UUID tenure() {
        return tenure.id();
    }

    /** Completes normally, in a step of this acquire, on any thread. */
    CompletableFuture<AcquireResult> result() {
        return result;
    }

    /** Whether it gives up as soon as it knows that another holds the lease. */
    boolean isWaiting() {
        return terms.waitFor() > 0;
    }

    /** What it waits for because another, of this process or not, holds it or is before it; {@code null}: it does not. */
    @Nullable
    LeaseWait waiting(long now) {
        return !waits || result.isDone()
                ? null
                : new LeaseWait(terms.key(), terms.meterName(), Duration.ofNanos(now - waitingSince));
    }

    private void beginWaiting(long now) {
        if (!waits) {
            waitingSince = now;
            waits = true;
        }
    }

    /** It has entered its queue: if its turn has not come with that, it waits. Its end is told to the monitors. */
    void onEntered() {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                beginWaiting(called);
            }
        });
        if (engine.measurements.isWanted()) {
            result.thenAccept(this::measure);
        }
    }

    private void measure(AcquireResult ending) {
        long now = engine.time.nanos();
        engine.measurements.acquireEnded(terms, ending, now - called, waits ? now - waitingSince : 0);
    }

    /** The monotonic time at which it was called. */
    long called() {
        return called;
    }

    /** The monotonic time until which it waits while another holds the lease. */
    long waitsUntil() {
        return called + terms.waitFor();
    }

    boolean isRunning() {
        return phase == Phase.RUNNING;
    }

    // ---- what the queue says

    /** It is queued: from here on it looks after its own patience. */
    void onQueued() {
        long forStore = LeaseTerms.nanos(engine.settings.storeTimeout());
        mailbox.execute(() -> awaitTurn(isWaiting() ? terms.waitFor() : forStore));
    }

    private void awaitTurn(long nanos) {
        if (phase == Phase.QUEUED) {
            long left = called + nanos - engine.clock.now();
            patience = engine.time.schedule(Math.max(0, left), () -> queue.onImpatient(this));
        }
    }

    void start() {
        mailbox.execute(() -> run(Attempts::begin));
    }

    void startByLooking() {
        mailbox.execute(() -> run(Attempts::beginByLooking));
    }

    void startLater(long pauseNanos) {
        mailbox.execute(() -> run(asking -> asking.beginLater(pauseNanos)));
    }

    void startStandingBack(long until) {
        mailbox.execute(() -> run(asking -> asking.beginStandingBack(until)));
    }

    private void run(Consumer<Attempts> begin) {
        if (phase == Phase.QUEUED) {
            cancelPatience();
            phase = Phase.RUNNING;
            Attempts asking = new Attempts(engine, terms, mailbox, tenure, this);
            attempts = asking;
            begin.accept(asking);
        } else {
            queue.onEnded(this, null); // cancelled just before
        }
    }

    /** Its turn has come by the release of a lease of this process. */
    void takeOver(HandOver over) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                run(asking -> asking.begin(over));
            } else {
                Release release = Release.of(engine, over);
                engine.release(over.tenure(), release);
                queue.onEnded(this, release);
            }
        });
    }

    /** Somebody would like to know sooner. */
    void hurry() {
        mailbox.execute(() -> {
            if (phase == Phase.RUNNING && attempts != null) {
                attempts.hurry();
            }
        });
    }

    /** Ends what is still queued. */
    void end(AcquireResult ending) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                finish(ending);
            }
        });
    }

    // ---- giving up

    /** Gives up for the caller, who takes no lease any more: one that was granted meanwhile is released. */
    void cancel(LeaseException why) {
        mailbox.execute(() -> {
            stopNow(why);
            if (granted != null) {
                granted.releaseAsync();
            }
        });
    }

    /** Gives up for a caller who has cancelled. */
    void cancel() {
        cancel(new LeaseException("Acquire of lease " + terms.name() + " was cancelled", null));
    }

    /** Gives up for the manager: a lease that was handed out meanwhile is its holder's. */
    void stop(LeaseException why) {
        mailbox.execute(() -> stopNow(why));
    }

    private void stopNow(LeaseException why) {
        boolean notYetHandedOut = result.complete(new AcquireResult.Failed(why));
        if (notYetHandedOut && granted != null) {
            granted.releaseAsync();
        } else if (phase == Phase.QUEUED) {
            end();
        } else if (phase == Phase.RUNNING) {
            giveUp();
        }
    }

    private void giveUp() {
        cancelAttempts();
        phase = Phase.GIVEN_UP;
        if (attempts == null || !attempts.isInFlight()) {
            end();
        }
    }

    private void cancelAttempts() {
        if (attempts != null) {
            attempts.cancelTimer();
        }
    }

    /** An attempt was answered after this acquire was given up. */
    void onAnsweredInVain(StoreReply outcome) {
        if (phase != Phase.GIVEN_UP) {
            return;
        }
        boolean surelyNotWritten = outcome instanceof StoreReply.Refused
                || outcome instanceof StoreReply.GroupRefused
                || (outcome instanceof StoreReply.Failed failed && failed.kind() != StoreReply.FailureKind.UNKNOWN);
        if (!surelyNotWritten) {
            tenure.leaveUnanswered();
        }
        end();
    }

    /** A step threw, by an error of ours or of the store's: nobody waits for ever, and what may be written is released. */
    private void onFailedStep(Throwable error) {
        boolean live = phase == Phase.RUNNING || phase == Phase.QUEUED;
        result.complete(
                new AcquireResult.Failed(new LeaseException("Acquire of lease " + terms.name() + " failed", error)));
        if (live) {
            cancelAttempts();
            tenure.leaveUnanswered();
            end();
        }
    }

    // ---- what the attempts say

    /** Another was seen to hold the lease, by a reply to a request sent then; this acquire goes on waiting. */
    void onOthers(@Nullable LeaseItem item, long sent) {
        beginWaiting(sent);
        queue.onOthers(this, item, sent);
    }

    /** The store does not do what is asked; this acquire goes on trying. */
    void onFailing(LeaseStoreException error) {
        queue.onFailing(error);
    }

    void grant(Grant grant, Reply reply) {
        HeldLease lease = new HeldLease(engine, terms, mailbox, tenure, queue, grant);
        phase = Phase.GRANTED;
        attempts = null;
        granted = lease;
        engine.onGranted(lease);
        queue.onGranted(this, lease, grant);
        lease.start(grant, reply).whenComplete((ready, lost) -> mailbox.execute(() -> handOut(lease, lost)));
    }

    private void handOut(HeldLease lease, @Nullable Throwable lost) {
        if (lost == null) {
            if (result.complete(new AcquireResult.Granted(lease))) {
                log.debug("Lease {} was acquired, token {}", terms.name(), lease.fencingToken());
                terms.leaseKeys()
                        .forEach(key -> engine.events.publish(
                                new LeaseEvent.Acquired(key, lease.owner(), lease.fencingToken())));
                engine.measurements.began(terms, lease.fencingToken());
            }
        } else {
            lease.releaseAsync();
            result.complete(new AcquireResult.Failed(new LeaseStoreException(
                    "Lease " + terms.name() + " was granted too late and could not be renewed in time", lost)));
        }
        phase = Phase.DONE;
        engine.onEnded(this);
    }

    void finish(AcquireResult ending) {
        if (ending instanceof AcquireResult.Unavailable unavailable) {
            log.debug("Lease {} is unavailable: {}", terms.name(), unavailable.holder());
            LeaseInfo holder = unavailable.holder();
            String held = holder == null ? terms.key() : holder.key();
            engine.events.publish(new LeaseEvent.Unavailable(held, holder));
        } else if (ending instanceof AcquireResult.AlreadyRan done && terms.once() != null) {
            log.debug("Run {} under lease {} is done already", Text.quote(terms.once()), terms.name());
            engine.events.publish(new LeaseEvent.AlreadyRan(terms.key(), terms.once(), done.shown()));
        }
        end();
        result.complete(ending);
    }

    /** Ends without a grant: what an attempt without an answer, or a predecessor, may have left is released (5.5, 6). */
    private void end() {
        phase = Phase.DONE;
        cancelPatience();
        HandOver over = attempts == null ? null : attempts.predecessor();
        attempts = null;
        Release release = null;
        if (over != null || tenure.isUnanswered()) {
            release = Release.ofGivenUp(engine, terms, tenure, over);
            engine.release(tenure, release);
        }
        queue.onEnded(this, release);
        engine.onEnded(this);
    }

    private void cancelPatience() {
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
    }
}
