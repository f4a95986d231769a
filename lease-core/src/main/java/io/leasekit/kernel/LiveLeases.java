package io.leasekit.kernel;

import io.leasekit.LeaseException;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseWait;
import io.leasekit.internal.Internal;
import io.leasekit.requests.TableState;
import io.leasekit.text.Text;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** The acquires and leases of one manager that have not ended. Thread-safe. */
@Internal
public final class LiveLeases {

    private static final Comparator<LeaseStatus> BY_KEY =
            Comparator.comparing(LeaseStatus::key).thenComparingLong(LeaseStatus::fencingToken);

    private final String owner;
    private final Runnable onEnded;
    private final Set<AcquireCall> acquiring = ConcurrentHashMap.newKeySet();
    private final Set<LeaseState> held = ConcurrentHashMap.newKeySet();
    private volatile boolean stopRequested;
    private volatile boolean closed;

    public LiveLeases(String owner, Runnable onEnded) {
        this.owner = owner;
        this.onEnded = onEnded;
    }

    // ---- changes

    public void began(AcquireCall acquire) {
        acquiring.add(acquire);
    }

    /** Without this method, an acquire that starts during the close might not end. */
    public void stopIfClosed(AcquireCall acquire) {
        if (closed) {
            acquire.stop(closedError());
        }
    }

    public void ended(AcquireCall acquire) {
        acquiring.remove(acquire);
        onEnded.run();
    }

    void granted(LeaseState lease) {
        // add() runs first: a concurrent requestStop() then finds the lease, or has set 'stopRequested'.
        held.add(lease);
        if (stopRequested) {
            lease.requestStop();
        }
    }

    public void ended(LeaseState lease) {
        held.remove(lease);
        onEnded.run();
    }

    // ---- contents

    boolean isNoneHeld() {
        return held.isEmpty();
    }

    boolean isNobodyAcquiring() {
        return acquiring.isEmpty();
    }

    private Stream<LeaseState> unreleased() {
        return held.stream().filter(lease -> !lease.released().isDone()); // a released lease leaves 'held' a bit later
    }

    /** Each future completes when a given-back lease of these keys is released. */
    Stream<CompletableFuture<Void>> givenBack(List<String> keys) {
        return held.stream()
                .filter(lease -> lease.isGivenBack() && !Collections.disjoint(lease.spec.items(), keys))
                .map(LeaseState::released);
    }

    public TableState.Leases count(long now) {
        return new TableState.Leases((int) unreleased().count(), waiting(now).size());
    }

    public int atRisk(long now) {
        return (int) unreleased().filter(lease -> lease.isAtRisk(now)).count();
    }

    public int passive() {
        return (int) unreleased().filter(lease -> lease.spec.passive()).count();
    }

    public List<LeaseStatus> statuses() {
        return unreleased().flatMap(LeaseState::statuses).sorted(BY_KEY).toList();
    }

    public List<LeaseWait> waiting(long now) {
        return acquiring.stream()
                .map(acquire -> acquire.waiting(now))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparing(LeaseWait::key))
                .toList();
    }

    // ---- operations on all acquires and leases

    public void renewAll() {
        inOrder(held, LeaseState::tenure).forEach(LeaseState::renewNow);
    }

    public void renew(String key, long token) {
        held.stream()
                .filter(lease -> lease.token() == token && lease.spec.items().contains(key))
                .forEach(LeaseState::renewNow);
    }

    public boolean isClosed() {
        return closed;
    }

    public void ensureOpen() {
        if (closed) {
            throw closedError();
        }
    }

    private LeaseException closedError() {
        return new LeaseException("Lease manager of owner " + Text.quote(owner) + " is closed", null);
    }

    /** Asks the code under all current and later leases of this manager to stop. */
    public void requestStop() {
        stopRequested = true;
        inOrder(held, LeaseState::tenure).forEach(LeaseState::requestStop);
    }

    void close() {
        closed = true;
        inOrder(acquiring, AcquireCall::id).forEach(acquire -> acquire.stop(closedError()));
    }

    void loseAll() {
        inOrder(held, LeaseState::tenure).forEach(LeaseState::loseBecauseClosed);
    }

    /** Sorts by the UUID of the acquire, so that repeated tests run their steps in the same order. */
    private static <T> Stream<T> inOrder(Set<T> all, Function<T, UUID> tenure) {
        return all.stream().sorted(Comparator.comparing(tenure));
    }
}
