package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.internal.EngineTime;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
 * When it ends without a grant, whatever it may have written is released in the background. All steps run in the lease's mailbox.
 */
final class Acquisition extends AcquireCall {

    private enum Phase {
        QUEUED,
        RUNNING,
        GRANTED,
        GIVEN_UP,
        DONE
    }

    private final Turns turns;
    private final Tenure tenure;
    private final Parts parts;
    private final Register register;
    private final Mailbox mailbox = new Mailbox(this::onFailedStep);

    // the rest lives in the mailbox
    private Phase phase = Phase.QUEUED;
    private Attempts.@Nullable Series attempts; // while it runs: a lease that is held keeps nothing of them
    private EngineTime.@Nullable Timer patience;
    private @Nullable LeaseState granted;

    /** Makes the parts of an acquire when it comes to need them. */
    interface Parts {

        Attempts.Series attempts(Acquisition caller, LeaseTerms terms, Tenure tenure, Mailbox mailbox);

        LeaseState lease(LeaseTerms terms, Tenure tenure, Mailbox mailbox, Turns turns, Tenure.Grant grant);

        Lease handle(LeaseState lease, LeaseTerms terms);

        Release release(LeaseTerms terms, Tenure tenure, @Nullable Release predecessor);

        /** Returns how long an acquire that does not wait for another owner waits for its turn. */
        long storeTimeout();
    }

    Acquisition(
            LeaseTerms terms,
            Turns turns,
            Tenure tenure,
            Parts parts,
            Register register,
            EngineTime time,
            Reports reports) {
        super(terms, time, reports);
        this.turns = turns;
        this.tenure = tenure;
        this.parts = parts;
        this.register = register;
    }

    UUID tenure() {
        return tenure.id();
    }

    /** Returns whether it sends requests and still wants the lease. */
    boolean isRunning() {
        return phase == Phase.RUNNING;
    }

    /** It has entered its queue: if its turn has not come with that, it waits. Monitors learn of its end. */
    void onEntered() {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                beginWaiting(called());
            }
        });
        measure();
    }

    /** It is queued: from here on it looks after its own patience. */
    void onQueued() {
        mailbox.execute(() -> awaitTurn(isWaiting() ? terms.waitFor() : parts.storeTimeout()));
    }

    private void awaitTurn(long nanos) {
        if (phase == Phase.QUEUED) {
            long left = called() + nanos - time.nanos();
            patience = time.schedule(Math.max(0, left), () -> turns.onImpatient(this));
        }
    }

    /** Its turn has come; {@code begin} is how its attempts begin. */
    void start(Consumer<Attempts.Series> begin) {
        mailbox.execute(() -> run(begin));
    }

    private void run(Consumer<Attempts.Series> begin) {
        if (phase == Phase.QUEUED) {
            cancelPatience();
            phase = Phase.RUNNING;
            Attempts.Series series = parts.attempts(this, terms, tenure, mailbox);
            attempts = series;
            begin.accept(series);
        } else {
            turns.onEnded(this, null); // cancelled just before
        }
    }

    /** Its turn has come by the release of a lease of this process, which it takes over. */
    void takeOver(Release predecessor) {
        mailbox.execute(() -> {
            if (phase == Phase.QUEUED) {
                run(series -> series.takeOver(predecessor));
            } else {
                register.send(predecessor);
                turns.onEnded(this, predecessor);
            }
        });
    }

    /** Another caller would like to know sooner. */
    void hurry() {
        mailbox.execute(() -> {
            if (phase == Phase.RUNNING && attempts != null) {
                attempts.hurry();
            }
        });
    }

    /** Ends what is still queued. */
    void end(Result ending) {
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
                granted.giveBack();
            }
        });
    }

    /** Gives up for a caller that has cancelled. */
    void cancel() {
        cancel(new LeaseException("Acquire of lease " + terms.name() + " was cancelled", null));
    }

    /** Gives up for the manager: a lease that was handed out meanwhile stays its holder's. */
    void stop(LeaseException why) {
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
        if (attempts != null) {
            attempts.cancelPause();
        }
        if (attempts == null || !attempts.isInFlight()) {
            end();
        }
    }

    /** An attempt was answered although this acquire is not running any more. */
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

    /** A step threw, by an error of ours or of the store's: the caller is told, and what may be written is released. */
    private void onFailedStep(Throwable error) {
        boolean live = phase == Phase.RUNNING || phase == Phase.QUEUED;
        result().complete(new Failed(new LeaseException("Acquire of lease " + terms.name() + " failed", error)));
        if (live) {
            tenure.leaveUnanswered();
            end();
        }
    }

    // ---- what the attempts say

    /** Another owner was seen to hold the lease, by a reply to a request sent then; the attempts go on. */
    void onHeldByOther(@Nullable LeaseItem item, long sent) {
        beginWaiting(sent);
        turns.onHeldByOther(this, item, sent);
    }

    /** The store fails; the attempts go on. */
    void onFailing(LeaseStoreException error) {
        turns.onFailing(error);
    }

    /** The table shows the lease as this acquire's. */
    void onGranted(Tenure.Grant grant, Requests.Reply reply) {
        LeaseState lease = parts.lease(terms, tenure, mailbox, turns, grant);
        phase = Phase.GRANTED;
        attempts = null;
        granted = lease;
        register.granted(lease);
        turns.onGranted(lease, grant);
        lease.start(grant, reply).whenComplete((ready, lost) -> mailbox.execute(() -> handOut(lease, lost)));
    }

    private void handOut(LeaseState lease, @Nullable Throwable lost) {
        if (lost == null) {
            if (result().complete(new Granted(parts.handle(lease, terms)))) {
                reports.acquired(terms, lease.token());
            }
        } else {
            lease.giveBack();
            result().complete(new Failed(new LeaseStoreException(
                    "Lease " + terms.name() + " was granted too late and could not be renewed in time", lost)));
        }
        phase = Phase.DONE;
        register.ended(this);
    }

    /** Ends without a grant. */
    void finish(Result ending) {
        if (ending instanceof Unavailable unavailable) {
            reports.unavailable(terms, unavailable.holder());
        } else if (ending instanceof AlreadyRan done && terms.once() != null) {
            reports.alreadyRan(terms, terms.once(), done.shown());
        }
        end();
        result().complete(ending);
    }

    /** Ends without a grant: what an attempt without an answer, or a predecessor, may have left is released (5.5, 6). */
    private void end() {
        phase = Phase.DONE;
        cancelPatience();
        Release predecessor = null;
        if (attempts != null) {
            attempts.cancelPause();
            predecessor = attempts.predecessor();
            attempts = null;
        }
        Release release = null;
        if (predecessor != null || tenure.isUnanswered()) {
            release = parts.release(terms, tenure, predecessor);
            register.send(release);
        }
        turns.onEnded(this, release);
        register.ended(this);
    }

    private void cancelPatience() {
        if (patience != null) {
            patience.cancel();
            patience = null;
        }
    }
}
