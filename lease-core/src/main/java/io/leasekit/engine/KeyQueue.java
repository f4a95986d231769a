package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseStoreException;
import io.leasekit.engine.Releases.Release;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Text;
import io.leasekit.store.LeaseItem;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this process that want the same key, in the order in which they came (6). Only one of them talks to the
 * store; the others cost no request. When the lease of one is released, it is handed over to the next by one write.
 *
 * <pre>
 * idle       nobody has the lease here or asks for it
 * active     one acquire sends requests
 * held       a lease of this process is held
 * releasing  a release is in flight; the next one begins with its reply, or when the time of one request is over
 * </pre>
 *
 * Once another process has marked the item as waited for, a run of hand-overs is bounded: its last lease is released, and this
 * process leaves the free lease to others until it has seen one of them hold it, or a second is over. While other processes have
 * it in turn with this one, whoever wants it again soon after a release begins with a pause ({@link Contention}).
 *
 * <p>The order of local callers before remote ones, with a bound, is that of cohort locks (D. Dice, V. Marathe, N. Shavit, "Lock
 * Cohorting", 2012). All steps run in the queue's mailbox; it calls no user's code.
 */
final class KeyQueue implements Turns {

    private static final Logger log = LoggerFactory.getLogger(KeyQueue.class);
    private static final long STAND_BACK = SECOND;

    private static final AtomicIntegerFieldUpdater<KeyQueue> ENTERING =
            AtomicIntegerFieldUpdater.newUpdater(KeyQueue.class, "entering");

    private final String key;
    private final int maxWaiters;
    private final LeaseRules rules;
    private final EngineTime time;
    private final BoundedClock clock;
    private final SeenItems seen;
    private final Inspection inspection;
    private final Register register;
    private final RandomGenerator random;
    private final Consumer<KeyQueue> onIdle;
    private final Mailbox mailbox = new Mailbox(error -> {});
    private volatile int entering; // how many are about to enter

    // the rest lives in the mailbox
    private Set<Acquisition> waiting = Collections.emptySet(); // one of its own while somebody waits
    private @Nullable Acquisition active;
    private @Nullable LeaseState holder;
    private int releasing;
    private int handOvers; // since another process has marked the item
    private boolean standsBack;
    private long standBackUntil;
    private boolean looksFirst;
    private @Nullable LeaseItem lastSeen; // while another owner holds it
    private @Nullable LeaseStoreException failing;

    /** {@code onIdle} is told when nobody needs the queue any more. */
    KeyQueue(
            String key,
            int maxWaiters,
            LeaseRules rules,
            EngineTime time,
            BoundedClock clock,
            SeenItems seen,
            Inspection inspection,
            Register register,
            RandomGenerator random,
            Consumer<KeyQueue> onIdle) {
        this.key = key;
        this.maxWaiters = maxWaiters;
        this.rules = rules;
        this.time = time;
        this.clock = clock;
        this.seen = seen;
        this.inspection = inspection;
        this.register = register;
        this.random = random;
        this.onIdle = onIdle;
    }

    String key() {
        return key;
    }

    // ---- its life among the queues

    /** Keeps the queue until the caller has entered. */
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
                    onIdle.accept(this);
                }
            }
        });
    }

    // ---- acquires

    @Override
    public void enter(Acquisition acquisition) {
        step(() -> {
            ENTERING.decrementAndGet(this);
            if (holder != null && !holder.isGivenBack() && !acquisition.isWaiting()) {
                acquisition.end(unavailable());
            } else if (!isTaken()) {
                begin(acquisition);
            } else if (waiting.size() >= maxWaiters) {
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

    private AcquireResult tooMany() {
        return new AcquireResult.Failed(new LeaseException(
                "Lease " + Text.quote(key) + " is waited for by " + waiting.size()
                        + " callers of this process already, expected at most "
                        + maxWaiters + " (maxWaitersPerKey)",
                null));
    }

    private AcquireResult unavailable() {
        LeaseInfo local = holder == null ? null : holder.info();
        return new AcquireResult.Unavailable(
                local != null || lastSeen == null ? local : inspection.info(lastSeen, clock.now()));
    }

    /** An acquire has waited for its turn as long as it would. */
    @Override
    public void onImpatient(Acquisition acquisition) {
        step(() -> {
            if (waiting.remove(acquisition)) {
                acquisition.end(failing == null ? unavailable() : new AcquireResult.Failed(failing));
            }
        });
    }

    /** An acquire has ended without a grant; what it may have left is being released. */
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

    /** The callers that do not wait and came before that request was sent are refused by its reply as well. */
    @Override
    public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
        step(() -> {
            lastSeen = item;
            failing = null;
            looksFirst = true;
            standsBack = false;
            List<Acquisition> asking = notWaiting();
            List<Acquisition> refused =
                    asking.stream().filter(other -> other.called() - sent <= 0).toList();
            refuse(refused);
            if (refused.size() < asking.size()) {
                acquisition.hurry();
            }
        });
    }

    private List<Acquisition> notWaiting() {
        return waiting.stream().filter(other -> !other.isWaiting()).toList();
    }

    private void refuse(List<Acquisition> refused) {
        refused.forEach(waiting::remove);
        refused.forEach(other -> other.end(unavailable()));
    }

    @Override
    public void onFailing(LeaseStoreException error) {
        step(() -> failing = error);
    }

    /** The active acquire got the lease: those who do not wait are refused by it. */
    @Override
    public void onGranted(LeaseState lease, Acquisition.Grant grant) {
        step(() -> {
            active = null;
            holder = lease;
            lastSeen = null;
            failing = null;
            looksFirst = false;
            standsBack = false;
            handOvers = grant.waitedFor() && grant.handedOver() ? handOvers + 1 : 0;
            if (!waiting.isEmpty()) {
                refuse(notWaiting());
            }
        });
    }

    // ---- leases

    /** A lease was lost: what its process may still do under it is nobody's obstacle any more. */
    @Override
    public void onLost(LeaseState lease) {
        step(() -> {
            if (holder == lease) {
                holder = null;
            }
        });
    }

    /** A lease was given back; {@code mayHandOver}: the next local caller may have it as it is. */
    @Override
    public void onReleased(LeaseState lease, Release release, boolean mayHandOver) {
        step(() -> {
            if (holder != lease) {
                register.send(release); // it was lost: another may have the key by now
                return;
            }
            holder = null;
            boolean endsRun = rules.endsRun(handOvers);
            if (mayHandOver && !endsRun && !waiting.isEmpty()) {
                handOver(release);
            } else {
                standBack(endsRun);
                register.send(release);
                awaitRelease(release.done());
            }
        });
    }

    /** A lease of several keys, this one among them, is being released; the caller has announced itself before. */
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
        seen.ended(release.tenure());
        next.takeOver(release);
    }

    private void standBack(boolean others) {
        handOvers = 0;
        standsBack = others;
        standBackUntil = others ? clock.now() + STAND_BACK : 0;
    }

    // ---- turns

    private Acquisition removeFirst() {
        Iterator<Acquisition> first = waiting.iterator();
        Acquisition acquisition = first.next();
        first.remove();
        return acquisition;
    }

    private boolean isTaken() {
        return active != null || holder != null || releasing > 0;
    }

    private void startNext() {
        if (isTaken() || waiting.isEmpty()) {
            return;
        }
        begin(removeFirst());
    }

    private void begin(Acquisition next) {
        active = next;
        if (next.isWaiting()) {
            startWaiting(next, clock.now());
        } else {
            next.start(Attempts.Series::begin);
        }
    }

    private void startWaiting(Acquisition next, long now) {
        Contention contention = seen.contention(key);
        long pause = contention == null ? 0 : contention.standBack(now, random);
        long until = standBackUntil;
        if (standsBack && now - until < 0) {
            next.start(attempts -> attempts.beginStandingBack(until));
        } else if (pause > 0) {
            next.start(attempts -> attempts.beginLater(pause));
        } else if (looksFirst) {
            next.start(Attempts.Series::beginByLooking);
        } else {
            next.start(Attempts.Series::begin);
        }
    }

    /** The next one begins when the release is done, or its time is over: it would be refused by what is being released. */
    private void awaitRelease(CompletableFuture<Void> released) {
        if (released.isDone()) {
            return; // by a store that answers at once
        }
        releasing++;
        AtomicBoolean over = new AtomicBoolean();
        Runnable goOn = () -> {
            if (over.compareAndSet(false, true)) {
                step(() -> releasing--);
            }
        };
        EngineTime.Timer timer = time.schedule(Requests.TIMEOUT, goOn);
        released.thenRun(() -> {
            timer.cancel();
            goOn.run();
        });
    }
}
