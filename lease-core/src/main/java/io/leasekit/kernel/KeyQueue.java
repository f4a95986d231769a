package io.leasekit.kernel;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseStoreException;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.observe.Contention;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import io.leasekit.threads.Mailbox;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of this process that want one key, in order of arrival (protocol 6.1). Only one caller of the queue sends
 * requests at a time.
 *
 * <pre>
 * idle       no caller of this process holds the lease or requests it
 * active     one acquire sends requests
 * held       this process holds the lease
 * kept       a short hold keeps others from the key; the release follows at the end of the hold
 * releasing  a release is queued or in flight; after its reply or timeout, the next caller starts
 * </pre>
 *
 * <p>The queue passes a lease directly to its next caller only a limited number of times in a row, as in cohort locks
 * (Dice, Marathe and Shavit, "Lock Cohorting", 2012). A {@code Mailbox} runs the steps of the queue one at a time. The
 * queue runs no user code.
 */
@Internal
public class KeyQueue implements LocalQueue.Turns {

    private static final Logger log = LoggerFactory.getLogger(KeyQueue.class);
    private static final AtomicIntegerFieldUpdater<KeyQueue> ENTERING =
            AtomicIntegerFieldUpdater.newUpdater(KeyQueue.class, "entering");

    private final String key;
    protected final EngineParts parts;
    private final Consumer<KeyQueue> onIdle;
    private final Mailbox mailbox = new Mailbox(error -> {});
    private volatile int entering; // the number of announced callers that have not entered the queue

    // Only steps in the mailbox of this queue use the fields below.
    private Set<Acquisition> waiting = Collections.emptySet(); // an empty queue shares one empty set, to save memory
    public final Contention.Fairness fairness = new Contention.Fairness();
    private @Nullable Acquisition active;
    private @Nullable LeaseState holder;
    private @Nullable LeaseInfo kept;
    private int releasing;
    private @Nullable LeaseItem lastSeen; // the last item that showed another owner's lease
    private @Nullable LeaseStoreException failing;

    protected KeyQueue(String key, EngineParts parts, Consumer<KeyQueue> onIdle) {
        this.key = key;
        this.parts = parts;
        this.onIdle = onIdle;
    }

    public final String key() {
        return key;
    }

    /** Announces a caller, so that this queue is not removed before the caller enters it. */
    void expectOne() {
        ENTERING.incrementAndGet(this);
    }

    boolean expectsNobody() {
        return entering == 0;
    }

    protected void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            startNext();
            if (waiting.isEmpty() && !isTaken()) {
                onIdle.accept(this);
            }
        });
    }

    @Override
    public void enter(Acquisition acquisition) {
        step(() -> {
            ENTERING.decrementAndGet(this);
            if (isHeld() && !acquisition.hasWait()) {
                acquisition.end(unavailable());
            } else if (!isTaken()) {
                begin(acquisition);
            } else {
                add(acquisition);
                if (active != null && !acquisition.hasWait()) {
                    active.hurry();
                }
            }
        });
    }

    private AcquireCall.Result unavailable() {
        if (holder != null) {
            return AcquireCall.Unavailable.here(holder.info());
        }
        if (kept != null) {
            return new AcquireCall.Unavailable(kept);
        }
        return new AcquireCall.Unavailable(
                lastSeen == null ? null : parts.records.info(lastSeen, parts.clock.now()),
                lastSeen == null ? parts.gate.pauseOf(List.of(key)) : null);
    }

    /** Extends the wait if the reason why the lease is unavailable is not known yet. */
    @Override
    public void onImpatient(Acquisition acquisition) {
        step(() -> {
            boolean isKnown = failing != null
                    || holder != null
                    || kept != null
                    || lastSeen != null
                    || parts.gate.pauseOf(List.of(key)) != null;
            long left = acquisition.untilLastReply(parts.clock.now(), parts.storeTimeout);
            if (!waiting.contains(acquisition)) {
                return;
            } else if (!isKnown && parts.path.state().failure() == null && left > 0) {
                acquisition.awaitTurn(left);
                return;
            }
            remove(acquisition);
            LeaseStoreException error = isKnown ? failing : parts.unsent(List.of(key));
            acquisition.end(error == null ? unavailable() : new AcquireCall.Failed(error));
        });
    }

    @Override
    public void onEnded(Acquisition acquisition, @Nullable Release release) {
        step(() -> {
            remove(acquisition);
            if (active == acquisition) {
                active = null;
            }
            if (release != null) {
                awaitSettled(release.settled());
            }
        });
    }

    @Override
    public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
        step(() -> {
            sawOther(item, sent);
            if (waiting.stream().anyMatch(this::isImpatient)) {
                acquisition.hurry();
            }
        });
    }

    @Override
    public void onRefused(@Nullable LeaseItem item, long sent) {
        step(() -> sawOther(item, sent));
    }

    /** Does not end the wait of calls that began after {@code sent}, the monotonic time of the request. */
    private void sawOther(@Nullable LeaseItem item, long sent) {
        lastSeen = item;
        failing = null;
        fairness.onHeldByOther();
        refuseImpatient(other -> other.called() - sent <= 0);
    }

    @Override
    public void onFailing(LeaseStoreException error) {
        step(() -> failing = error);
    }

    @Override
    public void onGranted(LeaseState lease, Tenure.Grant grant) {
        step(() -> {
            active = null;
            holder = lease;
            lastSeen = null;
            failing = null;
            fairness.onGranted(grant.handedOverDespiteWaiters());
            refuseImpatient(other -> true);
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
    public void release(LeaseState lease, Release release, boolean mayHandOver) {
        step(() -> {
            if (holder != lease) {
                parts.releases.send(release); // this lease was lost, so another caller may hold the key
                return;
            }
            holder = null;
            Release.Delay delay = release.delay();
            boolean mayPass = delay == null && mayHandOver && !parts.rules.endsHandOvers(fairness.handOvers());
            Acquisition next = mayPass ? takeNext() : null;
            if (delay != null) {
                keep(lease, release, delay);
            } else if (next != null) {
                handOver(next, release);
            } else {
                send(release);
            }
        });
    }

    protected void send(Release release) {
        fairness.onReleased(parts.rules.endsHandOvers(fairness.handOvers()), parts.clock.now() + standBack());
        parts.releases.send(release);
        awaitSettled(release.settled());
    }

    /** Returns the nanoseconds for which other processes come first after too many hand-overs. */
    protected long standBack() {
        return SECOND;
    }

    private void keep(LeaseState lease, Release release, Release.Delay delay) {
        kept = lease.kept(delay);
        refuseImpatient(other -> true);
        parts.releases.delay(
                release,
                () -> step(() -> {
                    kept = null;
                    send(release);
                }));
    }

    /**
     * Delays the callers of this key while a lease of several keys is being released. Call {@link #expectOne} before
     * each call of this method.
     */
    void enterRelease(CompletableFuture<Void> released) {
        step(() -> {
            ENTERING.decrementAndGet(this);
            releasing++;
            parts.releases.whenDone(released, () -> step(() -> releasing--));
        });
    }

    private void handOver(Acquisition next, Release release) {
        Quietly.run(() -> log.debug("Lease {} is to be handed over within this process", Text.quote(key)));
        active = next;
        // The next acquire may end at once, so the observer learns of the ended lease first.
        parts.observer.ended(release.tenure());
        next.beginByHandOver(release);
    }

    /** Returns whether this process holds the lease, and no code has asked for its release. */
    public boolean isHeld() {
        return kept != null || (holder != null && !holder.isGivenBack());
    }

    protected final boolean isActive() {
        return active != null;
    }

    public final boolean isTaken() {
        return isActive() || holder != null || kept != null || releasing > 0;
    }

    private void startNext() {
        Acquisition next = isTaken() ? null : takeNext();
        if (next != null) {
            begin(next);
        }
    }

    private void begin(Acquisition next) {
        begin(next, next.hasWait() ? beginning(parts.clock.now()) : AcquireLoop::ask);
    }

    protected final void begin(Acquisition next, Consumer<AcquireLoop> first) {
        active = next;
        next.start(first);
    }

    private Consumer<AcquireLoop> beginning(long now) {
        if (fairness.standsBack(now)) {
            long until = fairness.standBackUntil();
            return loop -> loop.beginStandingBack(until);
        }
        Contention contention = parts.observer.contention(key);
        long delay = contention == null ? 0 : contention.standBack(now, parts.random);
        if (delay > 0) {
            return loop -> loop.beginLater(delay);
        }
        return fairness.looksFirst() ? AcquireLoop::look : AcquireLoop::ask;
    }

    /** DynamoDB would refuse an acquire that arrives before the release. */
    private void awaitSettled(CompletableFuture<Void> settled) {
        if (!settled.isDone()) {
            releasing++;
            settled.thenRun(() -> step(() -> releasing--));
        }
    }

    // ---- waiting callers

    private void add(Acquisition acquisition) {
        if (waiting.size() >= parts.settings.maxWaitersPerKey) {
            acquisition.end(tooMany(key, waiting.size(), parts.settings.maxWaitersPerKey));
            return;
        }
        if (waiting.isEmpty()) {
            waiting = new LinkedHashSet<>(2);
        }
        waiting.add(acquisition);
        acquisition.onQueued();
    }

    public static AcquireCall.Result tooMany(String key, int waiting, int most) {
        return new AcquireCall.Failed(new LeaseException(
                waiting + " callers of this process already wait for lease " + Text.quote(key) + ", expected at most "
                        + most + " (maxWaitersPerKey)",
                null));
    }

    private void remove(Acquisition acquisition) {
        waiting.remove(acquisition);
        if (waiting.isEmpty()) {
            waiting = Collections.emptySet();
        }
    }

    /** Returns the acquire that gets the lease next, which then waits no longer; {@code null} if no caller waits. */
    protected @Nullable Acquisition takeNext() {
        if (waiting.isEmpty()) {
            return null;
        }
        Acquisition first = waiting.iterator().next();
        remove(first);
        return first;
    }

    private boolean isImpatient(Acquisition caller) {
        return caller.waitsUntil() - parts.clock.now() <= 0;
    }

    private void refuseImpatient(Predicate<Acquisition> which) {
        if (waiting.isEmpty()) {
            return;
        }
        List<Acquisition> refused = waiting.stream()
                .filter(other -> isImpatient(other) && which.test(other))
                .toList();
        if (refused.isEmpty()) {
            return; // building a refusal that no caller gets would slow down grants
        }
        AcquireCall.Result refusal = unavailable();
        refused.forEach(this::remove);
        refused.forEach(other -> other.end(refusal));
    }
}
