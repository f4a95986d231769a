package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeaseStoreException;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.KeyQueue;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LeaseState;
import io.leasekit.kernel.LocalQueue;
import io.leasekit.kernel.Release;
import io.leasekit.observe.Observer.Observation;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.MarkCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import io.leasekit.threads.Mailbox;
import io.leasekit.time.EngineTime;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The callers of this process that want a permit of one key, and this process's permits (protocol 6.6). Each permit has
 * its own item, which is acquired like the item of a lease. All steps run in the mailbox of the queue.
 */
final class PermitQueue {

    /**
     * The nanoseconds for which this process leaves a released permit to other processes, long enough for a read by
     * each waiter.
     */
    private static final long STAND_BACK = 3 * SECOND / 2;

    private static final int REFUSALS_BEFORE_READ = 8;

    final String key;
    // The number of calls that have no result yet; a queue with such calls stays in use.
    final AtomicInteger begun = new AtomicInteger();

    private final Permits shared;
    private final EngineParts parts;
    private final Mailbox mailbox = new Mailbox(error -> {});

    // Only the mailbox uses the fields below.
    private final PermitsSeen seen;
    private final Set<PermitCall> calls = new LinkedHashSet<>();
    private final Map<Integer, Permit> permits = new HashMap<>(); // by number
    // The monotonic time, by permit number, until which other processes may take the permit first.
    private final Map<Integer, Long> leftToOthers = new HashMap<>();
    private boolean reading; // whether a read, or a write of waiting_since, is queued or in flight
    private EngineTime.@Nullable Timer timer; // next read
    private int failures;
    private @Nullable LeaseStoreException failing;

    PermitQueue(String key, Permits shared) {
        this.key = key;
        this.shared = shared;
        this.parts = shared.parts;
        this.seen = new PermitsSeen(key, shared);
    }

    void step(Runnable task) {
        mailbox.execute(() -> {
            task.run();
            // The pause check may start a read, so one check serves all callers.
            LeasePause pause = waiting().stream().anyMatch(call -> call.isImpatient) ? pause() : null;
            refuse(call -> call.isImpatient && (pause != null || isHeldHere(call)), this::unavailable);
            readIfNeeded();
            if (begun.get() == 0 && permits.isEmpty() && !reading) {
                shared.retire(this);
            }
        });
    }

    // ---- calls

    private List<PermitCall> waiting() {
        return calls.stream().filter(call -> call.waits).toList();
    }

    void enter(PermitCall call) {
        step(() -> {
            if (call.result().isDone()) {
                return;
            }
            calls.add(call);
            int before = waiting().size();
            int most = parts.settings.maxWaitersPerKey;
            List<Integer> free = freeFor(call);
            if (before == 0 && !free.isEmpty() && (call.isImpatient || !seen.standsBack(call.permits))) {
                Integer last = shared.lastUsed.get(key);
                int any = anyOf(free);
                request(call, last != null && free.contains(last) ? last : any);
            } else if (before >= most && !(call.isImpatient && isHeldHere(call))) {
                call.end(KeyQueue.tooMany(key, before, most));
            } else {
                await(call);
            }
        });
    }

    void leave(PermitCall call) {
        calls.remove(call);
        begun.decrementAndGet();
    }

    private void await(PermitCall call) {
        long now = parts.clock.now();
        call.beginWaiting(now);
        call.await((call.hasWait() ? call.waitsUntil() : endOfTimeout(call)) - now);
    }

    private long endOfTimeout(PermitCall call) {
        return call.called() + parts.storeTimeout;
    }

    /**
     * If a reply can still change the result, waits until 2 s after {@code waitFor} or the store timeout, whichever is
     * later.
     */
    void onOverdue(PermitCall call) {
        if (call.waits) {
            call.isImpatient = true;
            long now = parts.clock.now();
            // Monotonic times may overflow, so the remaining times are compared instead of the end times.
            long left = Math.max(call.waitsUntil() + Requests.TIMEOUT - now, endOfTimeout(call) - now);
            AcquireCall.Result known = known(call, left <= 0);
            if (known != null && (left <= 0 || !dependsOnReads(call))) {
                call.end(known);
            } else {
                call.await(left);
            }
        }
    }

    /** Returns why the call gets no permit; {@code null} if no reply has shown a reason and the call is not late. */
    private AcquireCall.@Nullable Result known(PermitCall call, boolean isLate) {
        boolean fails = parts.path.state().failure() != null;
        if (isHeldHere(call) || pause() != null || (failing == null && call.answered && !fails)) {
            return unavailable(call);
        } else if (failing != null) {
            return new AcquireCall.Failed(failing);
        }
        return fails || isLate ? new AcquireCall.Failed(parts.unsent(List.of(key))) : null;
    }

    private void refuse(Predicate<PermitCall> which, Function<PermitCall, AcquireCall.Result> result) {
        List<PermitCall> refused = waiting().stream().filter(which).toList();
        refused.forEach(call -> call.end(result.apply(call)));
    }

    /** A process that has reached its limit may not have read the permits, so the result names no other holder. */
    private AcquireCall.Result unavailable(PermitCall call) {
        long here = count(Permit::isTaken);
        boolean isLimited = here >= call.most;
        LeaseInfo other = isLimited ? null : seen.holder();
        String has = "this process holds " + (count(Permit::isHeld) < here ? "or asks for " : "") + here;
        String limit = call.most < call.permits ? " per node, of " + call.permits + " permits in all" : " permits";
        String one = other == null ? "" : ", and one is held by " + AcquireCall.Unavailable.inWords(other);
        String why = isLimited
                ? has + " of at most " + call.most + limit
                : "all " + call.permits + " permits are taken; " + has + one;
        return new AcquireCall.Unavailable(other, pause(), "not available: " + why);
    }

    private @Nullable LeasePause pause() {
        return shared.pauses.recentPauseOf(List.of(key), () -> step(() -> {}));
    }

    // ---- permits

    private long count(Predicate<Permit> which) {
        return permits.values().stream().filter(which).count();
    }

    private boolean isHeldHere(PermitCall call) {
        return count(Permit::isHeld) >= call.most;
    }

    private boolean isLimited(PermitCall call) {
        return count(Permit::isTaken) >= call.most;
    }

    private List<Integer> freeFor(PermitCall call) {
        long now = parts.clock.now();
        boolean isLimited = isLimited(call);
        return shared.rules
                .slots(call.permits)
                .filter(number -> !isLimited && !permits.containsKey(number))
                .filter(number -> call.isImpatient || leftToOthers.getOrDefault(number, now) - now <= 0)
                .boxed()
                .toList();
    }

    private int anyOf(List<Integer> numbers) {
        return numbers.get(parts.random.nextInt(numbers.size()));
    }

    private void request(PermitCall call, int number) {
        Permit requested = new Permit(number, call);
        permits.put(number, requested);
        Observation ended = seen.free.get(number);
        begin(call, requested).start(loop -> loop.beginKnowing(ended));
    }

    private Acquisition begin(PermitCall call, Permit permit) {
        LeaseSpec spec = call.spec.ofPermit(permit.number, call.permits);
        Acquisition acquisition = new Acquisition(spec, permit, parts.newTenure(), parts, null, call.called());
        parts.live.began(acquisition);
        call.requests(acquisition);
        permit.caller = call;
        permit.tenure = acquisition.id();
        acquisition.result().thenAccept(result -> step(() -> onResult(call, result)));
        parts.live.stopIfClosed(acquisition);
        return acquisition;
    }

    private void onResult(PermitCall call, AcquireCall.Result result) {
        if (!(result instanceof AcquireCall.Unavailable refusal)
                || refusal.pause() != null
                || call.result().isDone()) {
            call.end(result);
        } else if (call.isImpatient && call.refusals >= call.permits) {
            String why =
                    "not available: others acquired each free permit first, of " + call.permits + " permits in all";
            call.end(new AcquireCall.Unavailable(refusal.holder(), null, why));
        } else {
            call.onRefused(parts.clock.now());
            onStoreAnswered();
            seen.onRefused();
            await(call);
        }
    }

    /** A permit that this process requests, holds or releases. */
    private final class Permit implements LocalQueue {

        private final int number;
        private PermitCall caller; // last requester
        // The id of the permit's last acquire, which the lease and its release share.
        private @Nullable UUID tenure;
        private @Nullable LeaseState holder;
        private boolean kept; // whether a short hold or an unfinished hand-over keeps the permit
        private boolean releasing;
        private int handOvers; // consecutive hand-overs while another process waits

        Permit(int number, PermitCall caller) {
            this.number = number;
            this.caller = caller;
        }

        boolean isHeld() {
            return kept || (holder != null && !holder.isGivenBack());
        }

        boolean isTaken() {
            return !releasing && (holder == null || isHeld());
        }

        @Override
        public void onHeldByOther(Acquisition acquisition, @Nullable LeaseItem item, long sent) {
            // A permit's acquire calls this method only while the key is paused.
            step(() -> caller.beginWaiting(sent));
        }

        @Override
        public void onGranted(LeaseState lease, Tenure.Grant grant) {
            step(() -> {
                holder = lease;
                kept = false;
                handOvers = grant.handedOverDespiteWaiters() ? handOvers + 1 : 0;
                shared.lastUsed.put(key, number);
                onStoreAnswered();
                seen.onGranted();
            });
        }

        @Override
        public void onEnded(Acquisition acquisition, @Nullable Release release) {
            step(() -> awaitSettled(release, this::free));
        }

        @Override
        public void onLost(LeaseState lease) {
            step(() -> {
                if (holder == lease) {
                    free();
                }
            });
        }

        @Override
        public void release(LeaseState lease, Release release, boolean mayHandOver) {
            step(() -> {
                if (holder == lease) {
                    release(release, mayHandOver);
                } else {
                    // The lease was lost, so another owner may have the permit: nothing is handed over.
                    parts.releases.send(release);
                }
            });
        }

        private void release(Release release, boolean mayHandOver) {
            boolean forOthers = parts.rules.endsHandOvers(handOvers);
            Optional<PermitCall> next = waiting().stream()
                    .filter(call -> mayHandOver && !forOthers && number < call.permits && !isLimited(call))
                    .findFirst();
            if (release.delay() != null) {
                kept = true;
                parts.releases.delay(release, () -> step(() -> send(release)));
            } else if (next.isPresent()) {
                holder = null;
                kept = true;
                // Until the hand-over is applied, reads show the old tenure, which must not count as another owner's.
                parts.observer.ended(release.tenure());
                begin(next.get(), this).beginByHandOver(release);
            } else {
                if (forOthers) {
                    leftToOthers.put(number, parts.clock.now() + STAND_BACK);
                }
                send(release);
            }
        }

        private void send(Release release) {
            parts.releases.send(release);
            awaitSettled(release, () -> {
                free();
                seen.onReleased(number);
            });
        }

        /** While a release is in flight, DynamoDB would refuse an acquire of the permit. */
        private void awaitSettled(@Nullable Release release, Runnable then) {
            kept = false;
            holder = null;
            if (release == null || release.settled().isDone()) {
                then.run();
            } else {
                releasing = true;
                release.settled().thenRun(() -> step(then));
            }
        }

        private void free() {
            holder = null;
            permits.remove(number, this);
        }
    }

    // ---- reads

    /** A call without {@code waitFor} depends on a read only when this process is releasing no permit. */
    private boolean dependsOnReads(PermitCall call) {
        return !isLimited(call)
                && !shared.rules.slots(call.permits).allMatch(permits::containsKey)
                && (call.hasWait() || count(permit -> permit.number < call.permits && !permit.isTaken()) == 0);
    }

    private void readIfNeeded() {
        if (reading) {
            return;
        }
        List<PermitCall> able = waiting().stream().filter(this::dependsOnReads).toList();
        boolean quick = seen.isQuick();
        boolean urgent = failures == 0
                && able.stream().anyMatch(call -> call.isImpatient || (call.refusedSinceAnswer > 0 && !quick));
        if (timer != null && (urgent || able.isEmpty())) {
            timer.cancel();
            timer = null;
        }
        if (urgent) {
            // An impatient call gains nothing from waiting_since, because the call no longer waits.
            long impatient = able.stream().filter(call -> call.isImpatient).count();
            readOrMark(impatient > 0 && impatient < able.size());
        } else if (timer == null && !able.isEmpty()) {
            PermitCall first = able.get(0);
            long nanos = failures == 0
                    ? seen.delay(parts.clock.now() - first.called(), first.permits)
                    : parts.requests.retryDelay(failures, SECOND, SECOND);
            timer = parts.time.schedule(nanos, () -> step(this::onTimer));
        }
    }

    /** If permits change owners quickly, a read is outdated at once, so a call requests a random permit instead. */
    private void onTimer() {
        timer = null;
        if (!reading && !waiting().isEmpty()) {
            boolean guesses = seen.toMark == null && failures == 0 && seen.isQuick();
            waiting().stream()
                    .filter(call -> guesses && !freeFor(call).isEmpty())
                    .findFirst()
                    .filter(call -> call.refusedSinceAnswer < REFUSALS_BEFORE_READ)
                    .ifPresentOrElse(call -> request(call, anyOf(freeFor(call))), () -> readOrMark(true));
        }
    }

    /**
     * The mark {@code waiting_since} makes another process release a permit that callers of that process pass to each
     * other.
     */
    private void readOrMark(boolean mayMark) {
        Integer toMark = mayMark ? seen.toMark : null;
        seen.toMark = null;
        reading = true;
        parts.requests.inTurn(RequestLimiter.Kind.LOOK, this::step, null, request -> {
            BoundedClock.Reading time = toMark == null ? null : parts.rules.beforeSending(parts.clock);
            if (waiting().isEmpty() || (toMark != null && time == null)) {
                reading = false;
            } else if (time == null || toMark == null) {
                read(request);
            } else {
                MarkCommand mark = new MarkCommand(LeaseSpec.slotKey(key, toMark), time.middleMillis());
                request.write(List.of(mark), new Requests.Pending(time, reply -> step(() -> reading = false)));
            }
        });
    }

    private void read(Requests.Outgoing request) {
        int most = waiting().stream().mapToInt(call -> call.permits).max().orElse(1);
        List<String> keys = shared.rules
                .slots(most)
                .mapToObj(number -> LeaseSpec.slotKey(key, number))
                .toList();
        request.readEach(keys, reply -> step(() -> onRead(reply, most)));
    }

    private void onRead(Requests.Reply reply, int most) {
        reading = false;
        if (!(reply.outcome() instanceof StoreReply.FoundEach found)) {
            StoreReply.Failed failed = reply.failure();
            onFailed(failed.cause(), failed.kind() == StoreReply.FailureKind.REJECTED);
            return;
        }
        seen.saw(found, most, reply, this::isOwn);
        leftToOthers.keySet().removeAll(seen.held.keySet());
        for (PermitCall call : waiting()) {
            List<Integer> free = freeFor(call);
            seen.free.keySet().stream().filter(free::contains).findFirst().ifPresent(number -> request(call, number));
        }
        if (found.unread().isEmpty()) {
            onStoreAnswered();
            // A read answers only calls that were made or last refused before the read was sent.
            Predicate<PermitCall> answered =
                    call -> call.permits <= most && call.since - reply.sent() <= 0 && dependsOnReads(call);
            refuse(call -> call.isImpatient && answered.test(call), this::unavailable);
            waiting().stream().filter(answered).forEach(PermitCall::onAnswered);
        } else { // an unread permit may be free, so the read counts as failed
            int read = most - found.unread().size();
            onFailed(new IllegalStateException("Store read " + read + " of " + most + " slots"), false);
        }
    }

    private boolean isOwn(LeaseItem item) {
        UUID tenure = Tenure.shownBy(item);
        return tenure != null && count(permit -> tenure.equals(permit.tenure)) > 0;
    }

    private void onStoreAnswered() {
        failures = 0;
        failing = null;
    }

    /** A rejected read fails all calls, because the table would also reject another read. */
    private void onFailed(Throwable cause, boolean rejected) {
        LeaseStoreException error = parts.requests.error(List.of(key), cause);
        failures++;
        failing = error;
        long now = parts.clock.now();
        refuse(
                call -> rejected || (endOfTimeout(call) - now <= 0 && call.waitsUntil() - now <= 0),
                call -> new AcquireCall.Failed(error));
    }
}
