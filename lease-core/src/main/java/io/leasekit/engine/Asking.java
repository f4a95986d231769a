package io.leasekit.engine;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseThrottling;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Text;
import io.leasekit.pause.PauseBoard;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.ClockSync;
import io.leasekit.requests.Gate;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.store.StoreReply;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Mailbox.WaitingStep;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How one acquire asks the store (protocol 8): it waits for its turn, for a clock sample, and after a failure, each for a
 * limited time. A base class of {@link Attempts.Series} rather than a separate object, because thousands may wait. Lives
 * in the mailbox of the acquire.
 */
abstract class Asking {

    private static final long MAX_BACKOFF = SECOND;
    private static final int CONFLICTS = 3; // in a row; then several keys that are not waited for are unavailable

    private final Acquisition caller;
    private final LeaseTerms terms;
    private final Waits waits;
    private long begun; // the start of the store timeout
    private @Nullable WaitingStep<?> wait; // for its turn, for the pauses or for a clock sample
    private int failures;
    private int conflicts; // in a row
    private final Mailbox mailbox;
    private EngineTime.@Nullable Timer timer;
    private @Nullable Runnable pending; // the step to run after the pause
    private int pauses; // numbers the timers; one that was cancelled too late does nothing

    /** The parts that all acquires share. */
    record Waits(
            long storeTimeout,
            EngineTime time,
            BoundedClock clock,
            Requests requests,
            ClockSync sync,
            PauseBoard pauses,
            RandomGenerator random,
            TableState state) {}

    /** The end of a read of the pauses or of the clock; {@code rejected}: another one would fail, too. */
    private record Read(@Nullable LeaseStoreException failure, boolean rejected) {}

    Asking(Acquisition caller, LeaseTerms terms, Mailbox mailbox, Waits waits) {
        this.caller = caller;
        this.terms = terms;
        this.waits = waits;
        this.mailbox = mailbox;
        this.begun = caller.called();
    }

    /** Starts the store timeout again; returns the time. */
    final long beginAgain() {
        begun = waits.clock.now();
        return begun;
    }

    // ---- turns

    /** A new lease could not be renewed in time, so it is not asked for. */
    final void onOverload(Runnable attempt) {
        LeaseStoreException error =
                unsent("Renewals of leases that this process holds wait for so long that a new lease could not be"
                        + " renewed in time");
        if (terms.patience() > 0) {
            tryLater(error, attempt);
        } else {
            caller.finish(new AcquireCall.Failed(error));
        }
    }

    /** Runs the step when the turn of a request of this kind has come, and ends the acquire if it never comes. */
    final void ask(Gate.Kind kind, Consumer<Requests.Outgoing> step) {
        WaitingStep<Requests.Outgoing> turn = beginWait(step);
        waits.requests.inTurn(kind, turn, caller.sending(), turn);
        limitWait();
    }

    /** Reads the pauses, then runs the step. The reply is a clock sample, too. */
    final void awaitPauses(Runnable step) {
        WaitingStep<Read> read = beginWait(done -> step.run());
        waits.pauses.read(() -> read.pass(new Read(null, false)));
        limitWait();
    }

    /** Waits for a clock sample, then runs the step. */
    final void awaitSample(Runnable step) {
        WaitingStep<Read> read = beginWait(done -> onSample(done.failure, done.rejected, step));
        waits.sync.sync(terms.item(), (failure, rejected) -> read.pass(new Read(failure, rejected)));
        limitWait();
    }

    private <T> WaitingStep<T> beginWait(Consumer<T> step) {
        WaitingStep<T> waiting = new WaitingStep<>(mailbox, value -> {
            cancelPause(); // ends this wait and its limit
            step.accept(value);
        });
        wait = waiting;
        return waiting;
    }

    private void onSample(@Nullable LeaseStoreException failure, boolean rejected, Runnable step) {
        if (failure == null) {
            step.run();
        } else if (rejected) {
            caller.finish(new AcquireCall.Failed(failure));
        } else {
            tryLater(failure, step);
        }
    }

    private void limitWait() {
        if (wait != null) {
            long left = Math.max(0, caller.persistsUntil() - begun); // the last request begins after that
            long limit = Math.max(left + Requests.TIMEOUT, waits.storeTimeout);
            after(Math.max(0, begun + limit - waits.clock.now()), this::onNoTurn);
        }
    }

    private void onNoTurn() {
        caller.finish(new AcquireCall.Failed(unsent("No request for the lease could be sent in time")));
    }

    /** Returns the error for a request that was not sent. Requests may wait because others fail: then these are the cause. */
    private LeaseStoreException unsent(String text) {
        Throwable failure = waits.state.failure();
        if (failure == null) {
            return waits.requests.error(
                    terms.items(),
                    new IllegalStateException(
                            text + ", because requests are slow or this process sends more than the table answers"));
        }
        if (!waits.state.isThrottled()) {
            return waits.requests.error(terms.items(), failure);
        }
        LeaseThrottling reason = failure instanceof LeaseStoreException known ? known.throttling() : null;
        String overloaded = "The table is overloaded. " + text + ": " + Text.why(failure);
        return waits.requests.error(terms.items(), new LeaseStoreException(overloaded, failure, reason));
    }

    // ---- failures

    /** Notes that the store has answered a look. */
    final void onAnswered() {
        failures = 0;
    }

    /** Handles a failed request; {@code again} repeats it. */
    final void onFailed(StoreReply.Failed failed, Runnable again) {
        LeaseStoreException error = waits.requests.error(terms.items(), failed.cause());
        conflicts = failed.kind() == StoreReply.FailureKind.CONFLICT ? conflicts + 1 : 0;
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            caller.finish(new AcquireCall.Failed(error));
        } else if (terms.isGroup() && conflicts >= CONFLICTS && caller.waitsUntil() - waits.clock.now() <= 0) {
            caller.finish(new AcquireCall.Unavailable(null)); // others are about to get some of the keys
        } else {
            tryLater(error, again);
        }
    }

    private void tryLater(LeaseStoreException error, Runnable again) {
        failures++;
        caller.onFailing(error);
        long backoff = Requests.backoff(failures, MAX_BACKOFF, waits.random);
        long delay = waits.requests.mayRetry() ? backoff : Math.max(backoff, MAX_BACKOFF);
        long then = waits.clock.now() + delay;
        if (caller.persistsUntil() - then >= 0 || then - begun <= waits.storeTimeout) {
            after(delay, again);
        } else {
            caller.finish(new AcquireCall.Failed(error));
        }
    }

    /** Returns whether a pause, and no turn or failure, is what the acquire waits for. */
    final boolean mayHurry() {
        return failures == 0 && wait == null;
    }

    // ---- pauses

    /** Runs the step in the mailbox. */
    final void receive(Runnable step) {
        mailbox.execute(step);
    }

    /** Runs the step in the mailbox after this time, in place of a waiting one. */
    final void after(long delayNanos, Runnable step) {
        int pause = ++pauses;
        pending = step;
        timer = waits.time.schedule(
                delayNanos,
                () -> mailbox.execute(() -> {
                    if (pauses == pause) {
                        endPause();
                    }
                }));
    }

    /** Runs the waiting step now. */
    final void endPause() {
        Runnable step = pending;
        cancelPause();
        if (step != null) {
            step.run();
        }
    }

    /** Forgets the waiting step, and what the acquire waits for. */
    final void cancelPause() {
        pauses++;
        pending = null;
        if (wait != null) {
            wait.drop();
            wait = null;
        }
        if (timer != null) {
            timer.cancel();
        }
    }
}
