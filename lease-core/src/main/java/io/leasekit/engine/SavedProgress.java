package io.leasekit.engine;

import io.leasekit.store.ItemProgress;
import io.leasekit.store.ReleaseCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one lease (protocol 5.12): what its run had before, and what its work has given since. Renewals carry the
 * latest value until a reply confirms it, so values are written in order, and a late copy of a write changes nothing: the
 * versions of renewals order it.
 */
final class SavedProgress {

    /** How the work writes its values. A renewal that is applied late would undo a later transaction, so it is one way only. */
    private enum Way {
        NONE,
        RENEWALS,
        TRANSACTIONS
    }

    /** A caller that waits until this value, or a later one, is in the table. */
    private record Waiter(int number, CompletableFuture<Void> future) {}

    private final @Nullable String run;
    private final @Nullable ItemProgress before;
    private final AtomicReference<Way> way = new AtomicReference<>(Way.NONE);

    // the rest lives in the mailbox of the lease
    private byte @Nullable [] latest;
    private int given; // the number of the latest value; 0: none
    private int confirmed; // of the latest value that is surely in the table
    private boolean wanted; // a caller waits for the latest value
    private final NavigableMap<Integer, Integer> sent =
            new TreeMap<>(); // attempts that are not confirmed, and their values
    private final List<Waiter> waiting = new ArrayList<>(1);

    /** {@code shown}: the progress of the item before the acquire; {@code null}: none. */
    SavedProgress(@Nullable String run, @Nullable ItemProgress shown) {
        this.run = run;
        this.before = shown != null && Objects.equals(run, shown.run()) ? shown : null;
    }

    // ---- for any thread

    /** Returns what the holder before had saved for the same run; {@code null}: nothing. */
    byte @Nullable [] before() {
        return before == null ? null : before.data();
    }

    /** Begins to write by renewals. */
    void byRenewals(String what, String lease) {
        goBy(Way.RENEWALS, what, lease, "'update', whose transaction a renewal that is applied late would undo");
    }

    /** Begins to write by transactions of the user. */
    void byTransactions(String what, String lease) {
        goBy(Way.TRANSACTIONS, what, lease, "'save' or 'note', whose renewals could undo the transaction");
    }

    private void goBy(Way wanted, String what, String lease, String other) {
        if (!way.compareAndSet(Way.NONE, wanted) && way.get() != wanted) {
            throw new IllegalStateException(
                    "'" + what + "' was called for the progress of lease " + lease + " after " + other);
        }
    }

    // ---- steps of the lease

    /** Takes a value. The future completes when it is in the table; {@code null}: nobody waits, so no renewal is sent for it. */
    void give(byte[] value, @Nullable CompletableFuture<Void> saved) {
        latest = value;
        given++;
        wanted |= saved != null;
        if (saved != null) {
            waiting.add(new Waiter(given, saved));
        }
    }

    /** Returns whether a caller waits for a value that the write in flight does not have. */
    boolean needsRenewal(int inFlight) {
        return wanted && confirmed < given && sent.getOrDefault(inFlight, 0) < given;
    }

    /** Returns what this write of the lease carries; {@code null}: nothing, as the table has the latest value. */
    @Nullable
    ItemProgress toWrite(int attempt, long nowMillis) {
        byte[] value = latest;
        if (value == null || confirmed == given) {
            return null;
        }
        sent.put(attempt, given);
        return new ItemProgress(run, value, nowMillis);
    }

    /** Takes in that this write was applied, and with it or before it each earlier one that will ever be. */
    void onWritten(int attempt) {
        confirmed = Math.max(confirmed, sent.getOrDefault(attempt, 0));
        sent.headMap(attempt, true).clear();
        wanted &= confirmed < given;
        List<Waiter> served =
                waiting.stream().filter(one -> one.number <= confirmed).toList();
        waiting.removeAll(served);
        served.forEach(one -> one.future.complete(null));
    }

    void failWaiting(Supplier<? extends Throwable> error) {
        List<Waiter> failed = List.copyOf(waiting);
        waiting.clear();
        failed.forEach(one -> one.future.completeExceptionally(error.get()));
    }

    /** Returns what the release does with the progress; {@code ended}: the run has succeeded. */
    ReleaseCommand.Progress atEnd(boolean ended, long nowMillis) {
        byte[] value = latest;
        boolean isOurs = run != null || before != null || way.get() != Way.NONE;
        if (ended) {
            // without a name, the progress of another run is left to it
            return isOurs ? new ReleaseCommand.Clear() : new ReleaseCommand.Keep();
        }
        return value == null || confirmed == given
                ? new ReleaseCommand.Keep()
                : new ReleaseCommand.Write(new ItemProgress(run, value, nowMillis));
    }
}
