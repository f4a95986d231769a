package io.leasekit.engine;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.engine.Releases.Release;
import io.leasekit.internal.Checks;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Quietly;
import io.leasekit.internal.Text;
import io.leasekit.requests.RequestPath;
import io.leasekit.requests.Requests;
import io.leasekit.requests.TableState;
import io.leasekit.tenure.SeenItems;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acquires, leases and releases of one manager that have not ended. It sends the releases, for {@link KeyQueue} and
 * {@link Acquisition}. Closing the manager waits for all of them. Thread-safe.
 */
final class Register {

    private static final long LONGEST_RELEASE = 5 * SECOND;
    private static final long SHORTEST_RELEASE = SECOND; // enough for a table that answers
    private static final int NAMED_KEYS = 3;
    private static final Logger log = LoggerFactory.getLogger(Register.class);
    private static final Comparator<LeaseStatus> BY_KEY =
            Comparator.comparing(LeaseStatus::key).thenComparingLong(LeaseStatus::fencingToken);

    private final String owner;
    private final EngineTime time;
    private final SeenItems seen;
    private final Set<AcquireCall> acquiring = ConcurrentHashMap.newKeySet();
    private final Set<LeaseState> held = ConcurrentHashMap.newKeySet();
    private final ConcurrentMap<Release, Long> releasing = new ConcurrentHashMap<>(); // with the end of its work
    private final ConcurrentMap<UUID, Delayed> delayed = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> closing = new AtomicReference<>();
    private final CompletableFuture<Void> nothingHeld = new CompletableFuture<>();
    private final CompletableFuture<Void> nothingUnderWay = new CompletableFuture<>();

    Register(String owner, EngineTime time, SeenItems seen) {
        this.owner = owner;
        this.time = time;
        this.seen = seen;
    }

    // ---- changes

    void began(AcquireCall acquisition) {
        acquiring.add(acquisition);
    }

    /** Ends an acquire that began while the manager was being closed. */
    void stopIfClosing(AcquireCall acquisition) {
        if (isClosing()) {
            acquisition.stop(closed());
        }
    }

    void ended(AcquireCall acquisition) {
        acquiring.remove(acquisition);
        checkClosing();
    }

    void granted(LeaseState lease) {
        held.add(lease);
    }

    void ended(LeaseState lease) {
        held.remove(lease);
        checkClosing();
    }

    /** Sends a release. From now on the versions of its tenure count as dead, unless it keeps a hold or a run. */
    void send(Release release) {
        send(release, time.nanos());
    }

    /** Sends the release of what has ended at {@code since}, in monotonic time. */
    void send(Release release, long since) {
        if (release.mayBeOverwritten()) {
            seen.ended(release.tenure());
        }
        releasing.put(release, since);
        delayed.remove(release.tenure());
        release.done().whenComplete((done, never) -> {
            releasing.remove(release);
            checkClosing();
        });
        release.send();
    }

    /** Delays a release (6.5). {@code send}, which sends it, is called once: at the end of the delay, or on closing. */
    void delay(Release release, Runnable send) {
        Delayed one = new Delayed(release, send);
        delayed.put(release.tenure(), one);
        one.sleep();
        if (isClosing()) {
            one.end();
        }
    }

    /** Returns the delay of the release of this tenure; {@code null}: it is not delayed. */
    ReleaseDraft.@Nullable Delay delayOf(@Nullable UUID tenure) {
        Delayed one = tenure == null ? null : delayed.get(tenure);
        return one == null ? null : one.release.delay();
    }

    /** A release to be sent later. */
    private final class Delayed {
        private final Release release;
        private final Runnable send;
        private final AtomicBoolean ended = new AtomicBoolean();

        Delayed(Release release, Runnable send) {
            this.release = release;
            this.send = send;
        }

        /** Waits for the end of the delay; a release sent before it would write a hold. */
        void sleep() {
            ReleaseDraft.Delay delay = release.delay();
            long left = delay == null ? 0 : delay.until() - time.nanos();
            if (left > 0 && !ended.get()) {
                time.schedule(left, this::sleep);
            } else {
                end();
            }
        }

        void end() {
            if (ended.compareAndSet(false, true)) {
                send.run();
            }
        }
    }

    /**
     * Runs the step once no release of these keys by this process is in flight, or after the timeout of one request.
     */
    void whenReleased(List<String> keys, Runnable step) {
        Stream<CompletableFuture<Void>> givenBack = held.stream()
                .filter(lease -> lease.isGivenBack() && !Collections.disjoint(lease.terms.items(), keys))
                .map(LeaseState::released);
        Stream<CompletableFuture<Void>> inFlight = releasing.keySet().stream()
                .filter(release -> !Collections.disjoint(release.keys(), keys))
                .map(Release::done);
        CompletableFuture<?>[] touching = Stream.concat(givenBack, inFlight).toArray(CompletableFuture[]::new);
        if (touching.length == 0) {
            step.run();
        } else {
            whenDone(CompletableFuture.allOf(touching), step);
        }
    }

    /** Runs the step once the release is done, or after the timeout of one request. */
    void whenDone(CompletableFuture<Void> released, Runnable step) {
        within(released.thenRun(() -> {}), Requests.TIMEOUT).thenRun(step);
    }

    // ---- contents

    LeaseManagerStatus status(LeaseSettings settings, RequestPath path) {
        long now = path.clock().now();
        List<LeaseState> all = unreleased().toList();
        int overdue = (int) all.stream().filter(lease -> lease.isOverdue(now)).count();
        int passive = (int) all.stream().filter(lease -> lease.terms.passive()).count();
        return path.status(
                settings.owner(), settings.ttl(), all.size(), waiting(now).size(), overdue, passive);
    }

    TableState.Leases leases(long now) {
        return new TableState.Leases((int) unreleased().count(), waiting(now).size());
    }

    List<LeaseStatus> held() {
        return unreleased().flatMap(Register::statuses).sorted(BY_KEY).toList();
    }

    /** Returns the held leases, without those whose release is done although the step that sent it still runs. */
    private Stream<LeaseState> unreleased() {
        return held.stream().filter(lease -> !lease.released().isDone());
    }

    /** Returns one status for each key. */
    private static Stream<LeaseStatus> statuses(LeaseState lease) {
        Duration remaining = lease.validity().remaining();
        Duration heldFor = lease.heldFor();
        return lease.keys().stream()
                .map(key -> new LeaseStatus(
                        key,
                        lease.owner(),
                        lease.token(),
                        lease.acquiredAt(),
                        !remaining.isZero(),
                        remaining,
                        heldFor,
                        Objects.requireNonNullElse(lease.terms.permits(), 0),
                        lease.terms.slot()));
    }

    List<LeaseWait> waiting(long now) {
        return acquiring.stream()
                .map(acquisition -> acquisition.waiting(now))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(LeaseWait::key))
                .toList();
    }

    /** Renews all leases as soon as possible. */
    void renewAll() {
        inOrder(held, LeaseState::tenure).forEach(LeaseState::renewNow);
    }

    /** Renews the lease with this token if this process holds it, to detect a forced release at once. */
    void renew(String key, long token) {
        held.stream()
                .filter(lease -> lease.token() == token && lease.terms.items().contains(key))
                .forEach(LeaseState::renewNow);
    }

    // ---- the end

    boolean isClosing() {
        return closing.get() != null;
    }

    /**
     * Checks that the manager is open.
     *
     * @throws LeaseException if it is closed
     */
    void ensureOpen() {
        if (isClosing()) {
            throw closed();
        }
    }

    private LeaseException closed() {
        return new LeaseException("Lease manager of owner " + Text.quote(owner) + " is closed", null);
    }

    /** Closes the manager. Leases still held after the patience are lost. The future completes after {@code finish}. */
    CompletableFuture<Void> close(long patienceNanos, Runnable finish) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> earlier = closing.compareAndExchange(null, done);
        if (earlier != null) {
            return earlier;
        }
        long begun = time.nanos();
        inOrder(acquiring, AcquireCall::id).forEach(acquisition -> acquisition.stop(closed()));
        inOrder(Set.copyOf(delayed.values()), one -> one.release.tenure()).forEach(Delayed::end);
        within(nothingHeld, patienceNanos)
                .thenCompose(drained -> {
                    inOrder(held, LeaseState::tenure).forEach(LeaseState::loseBecauseClosed);
                    long patience = untilGivenUp(begun, releasePatience(patienceNanos));
                    return patience > 0
                            ? within(nothingUnderWay, patience)
                            : CompletableFuture.<Void>completedFuture(null);
                })
                .thenRun(() -> {
                    warnOfReleases();
                    finish.run();
                    done.complete(null);
                });
        checkClosing();
        return done;
    }

    /**
     * Returns how long a release is waited for after the end of its work, with this close timeout: no process is delayed
     * by an outage for longer.
     */
    static long releasePatience(long closeTimeout) {
        return Math.max(SHORTEST_RELEASE, Math.min(closeTimeout, LONGEST_RELEASE));
    }

    /**
     * Returns how long the last of the releases is still waited for. Each has waited since its work ended, which may be
     * long before the close. An acquire that is under way was given up by the close at the latest.
     */
    private long untilGivenUp(long closing, long patience) {
        long now = time.nanos();
        LongStream begun = releasing.values().stream().mapToLong(Long::longValue);
        LongStream all = acquiring.isEmpty() ? begun : LongStream.concat(begun, LongStream.of(closing));
        return Math.max(0, all.map(since -> since + patience - now).max().orElse(0));
    }

    private void warnOfReleases() {
        List<Release> unconfirmed = releasing.keySet().stream()
                .filter(release -> !release.isQuiet())
                .toList();
        List<String> keys = unconfirmed.stream()
                .flatMap(release -> release.keys().stream())
                .filter(key -> !Checks.isRunItem(key))
                .sorted()
                .toList();
        unconfirmed.forEach(Release::quietly); // their end is logged now
        long runs = unconfirmed.stream().filter(one -> one.runName() != null).count();
        if (!keys.isEmpty()) {
            List<String> named = keys.subList(0, Math.min(keys.size(), NAMED_KEYS));
            int more = keys.size() - named.size();
            Quietly.run(() -> log.warn(
                    "Manager of owner {} is closed, and {} releases are not confirmed: {}{}. The store has not answered in"
                            + " time. Such a lease expires with its ttl at the latest{}",
                    Text.quote(owner),
                    keys.size(),
                    Text.quoteAll(named),
                    more > 0 ? " and " + more + " more" : "",
                    runs > 0 ? "; runs that may be executed again: " + runs : ""));
        }
    }

    /** Returns the longest time that closing takes after its patience. */
    static long closingNanos() {
        return LONGEST_RELEASE + SECOND;
    }

    private void checkClosing() {
        if (isClosing() && held.isEmpty()) {
            nothingHeld.complete(null);
            if (acquiring.isEmpty() && releasing.isEmpty() && delayed.isEmpty()) {
                nothingUnderWay.complete(null);
            }
        }
    }

    private CompletableFuture<Void> within(CompletableFuture<Void> future, long nanos) {
        EngineTime.Timer timer = time.schedule(nanos, () -> future.complete(null));
        future.whenComplete((done, never) -> timer.cancel());
        return future;
    }

    /** Sorts by tenure, so a test repeats the same schedule. */
    private static <T> Stream<T> inOrder(Set<T> all, Function<T, UUID> tenure) {
        return all.stream().sorted(Comparator.comparing(tenure));
    }
}
