package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.internal.Text;
import io.leasekit.store.LeaseItem;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this process that want the same key, in order of arrival (6). Only one of them sends requests.
 * A released lease is handed over to the next caller by one write.
 *
 * <pre>
 * idle       no caller here holds the lease or asks for it
 * active     one acquire sends requests
 * held       a lease of this process is held
 * releasing  a release is in flight; the next caller begins with its reply or after the timeout of one request
 * </pre>
 *
 * {@link Contention} and its {@link Contention.Fairness} give other processes their turns.
 *
 * <p>Local callers go before remote ones, with a limit, as in cohort locks (D. Dice, V. Marathe, N. Shavit, "Lock
 * Cohorting", 2012). All steps run in the queue's mailbox. The queue runs no user code.
 */
final class KeyQueue implements Turns {

    private static final Logger log = LoggerFactory.getLogger(KeyQueue.class);
    private static final AtomicIntegerFieldUpdater<KeyQueue> ENTERING =
            AtomicIntegerFieldUpdater.newUpdater(KeyQueue.class, "entering");

    private final String key;
    private final Shared shared;
    private final Mailbox mailbox = new Mailbox(error -> {});
    private volatile int entering; // the number of callers about to enter

    // the rest lives in the mailbox
    private Set<Acquisition> waiting = Collections.emptySet(); // a separate set only while a caller waits
    private final Contention.Fairness fairness = new Contention.Fairness();
    private @Nullable Acquisition active;
    private @Nullable LeaseState holder;
    private int releasing;
    private @Nullable LeaseItem lastSeen; // while another owner holds it
    private @Nullable LeaseStoreException failing;

    /**
     * The parts that all queues use: one reference instead of eight, because each of many waiters may have a queue.
     *
     * @param onIdle called when no caller needs a queue any more
     */
    record Shared(
            int maxWaiters,
            LeaseRules rules,
            BoundedClock clock,
            SeenItems seen,
            Inspection inspection,
            Register register,
            RandomGenerator random,
            Consumer<KeyQueue> onIdle) {}

    KeyQueue(String key, Shared shared) {
        this.key = key;
        this.shared = shared;
    }

    String key() {
        return key;
    }

    /** Keeps the queue in the map until the caller has entered. */
    void expectOne() {
        ENTERING.incrementAndGet(this);
    }

    boolean expectsNobody() {
        return entering == 0;
    }

    private void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            startNext();
            if (waiting.isEmpty()) {
                waiting = Collections.emptySet();
                if (!isTaken()) {
                    shared.onIdle.accept(this);
                }
            }
        });
    }

    @Override
    public void enter(Acquisition acquisition) {
        step(() -> {
            ENTERING.decrementAndGet(this);
            if (holder != null && !holder.isGivenBack() && !acquisition.isWaiting()) {
                acquisition.end(unavailable());
            } else if (!isTaken()) {
                begin(acquisition);
            } else if (waiting.size() >= shared.maxWaiters) {
                acquisition.end(tooMany());
            } else {
                if (waiting.isEmpty()) {
                    waiting = new LinkedHashSet<>(2);
                }
                waiting.add(acquisition);
                acquisition.onQueued();
                if (active != null && !acquisition.isWaiting()) {
                    active.hurry();
                }
            }
        });
    }

    private AcquireCall.Result tooMany() {
        return new AcquireCall.Failed(new LeaseException(
                "Lease " + Text.quote(key) + " is waited for by " + waiting.size()
                        + " callers of this process already, expected at most " + shared.maxWaiters
                        + " (maxWaitersPerKey)",
                null));
    }

    private AcquireCall.Result unavailable() {
        if (holder != null) {
            return new AcquireCall.Unavailable(Inspection.info(holder));
        }
        return new AcquireCall.Unavailable(
                lastSeen == null ? null : shared.inspection.info(lastSeen, shared.clock.now()));
    }

    @Override
    public void onImpatient(Acquisition acquisition) {
        step(() -> {
            if (waiting.remove(acquisition)) {
                acquisition.end(failing == null ? unavailable() : new AcquireCall.Failed(failing));
            }
        });
    }

    @Override
    public void onEnded(Acquisition acquisition, @Nullable Release release) {
        step(() -> {
            waiting.remove(acquisition);
            if (active == acquisition) {
                active = null;
            }
            if (release != null) {
                awaitRelease(release.done());
            }
        });
    }

    /** The same reply refuses the callers that do not wait and that came before its request was sent. */
    @Override
    public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
        step(() -> {
            lastSeen = item;
            failing = null;
            fairness.onHeldByOther();
            refuse(notWaiting().filter(other -> other.called() - sent <= 0));
            if (notWaiting().findAny().isPresent()) {
                acquisition.hurry();
            }
        });
    }

    private Stream<Acquisition> notWaiting() {
        return waiting.stream().filter(other -> !other.isWaiting());
    }

    private void refuse(Stream<Acquisition> others) {
        List<Acquisition> refused = others.toList();
        refused.forEach(waiting::remove);
        refused.forEach(other -> other.end(unavailable()));
    }

    @Override
    public void onFailing(LeaseStoreException error) {
        step(() -> failing = error);
    }

    /** The active acquire got the lease, so callers that do not wait are refused. */
    @Override
    public void onGranted(LeaseState lease, Tenure.Grant grant) {
        step(() -> {
            active = null;
            holder = lease;
            lastSeen = null;
            failing = null;
            fairness.onGranted(grant.waitedFor() && grant.handedOver());
            if (!waiting.isEmpty()) {
                refuse(notWaiting());
            }
        });
    }

    @Override
    public void onLost(LeaseState lease) {
        step(() -> {
            if (holder == lease) {
                holder = null;
            }
        });
    }

    @Override
    public void onReleased(LeaseState lease, Release release, boolean mayHandOver) {
        step(() -> {
            if (holder != lease) {
                shared.register.send(release); // it was lost, so another caller may hold the key by now
                return;
            }
            holder = null;
            boolean endsRun = shared.rules.endsRun(fairness.handOvers());
            if (mayHandOver && !endsRun && !waiting.isEmpty()) {
                handOver(release);
            } else {
                fairness.onReleased(endsRun, shared.clock.now());
                shared.register.send(release);
                awaitRelease(release.done());
            }
        });
    }

    /** Waits for the release of a lease of several keys, this one included; follows a call of {@link #expectOne}. */
    void enterRelease(CompletableFuture<Void> released) {
        step(() -> {
            ENTERING.decrementAndGet(this);
            awaitRelease(released);
        });
    }

    private void handOver(Release release) {
        Acquisition next = removeFirst();
        log.debug("Lease {} is handed over within this process", Text.quote(key));
        active = next;
        shared.seen.ended(release.tenure());
        next.takeOver(release);
    }

    private Acquisition removeFirst() {
        Acquisition first = waiting.iterator().next();
        waiting.remove(first);
        return first;
    }

    private boolean isTaken() {
        return active != null || holder != null || releasing > 0;
    }

    private void startNext() {
        if (!isTaken() && !waiting.isEmpty()) {
            begin(removeFirst());
        }
    }

    private void begin(Acquisition next) {
        active = next;
        next.start(next.isWaiting() ? beginning(shared.clock.now()) : Attempts.Series::attempt);
    }

    private Consumer<Attempts.Series> beginning(long now) {
        if (fairness.standsBack(now)) {
            long until = fairness.standBackUntil();
            return attempts -> attempts.beginStandingBack(until);
        }
        Contention contention = shared.seen.contention(key);
        long pause = contention == null ? 0 : contention.standBack(now, shared.random);
        if (pause > 0) {
            return attempts -> attempts.beginLater(pause);
        }
        return fairness.looksFirst() ? Attempts.Series::beginByLooking : Attempts.Series::attempt;
    }

    /** Delays the next caller until the release is done or timed out; before that it would be refused. */
    private void awaitRelease(CompletableFuture<Void> released) {
        if (!released.isDone()) { // it is if the store answers at once
            releasing++;
            shared.register.whenDone(released, () -> step(() -> releasing--));
        }
    }
}
