package io.leasekit.engine;

import io.leasekit.store.ItemProgress;
import io.leasekit.store.ItemRun;
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
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

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
    private final @Nullable ItemProgress shown; // before the acquire, of any run
    private final @Nullable ItemProgress before; // of this run
    private final AtomicReference<Way> way = new AtomicReference<>(Way.NONE);

    // the rest lives in the mailbox of the lease
    private byte @Nullable [] latest;
    private int given; // the number of the latest value; 0: none
    private int confirmed; // of the latest value that is surely in the table
    private final NavigableMap<Integer, Integer> sent =
            new TreeMap<>(); // attempts that are not confirmed, and their values
    private final List<Waiter> waiting = new ArrayList<>(1);

    /** {@code shown}: the progress of the item before the acquire; {@code null}: none. */
    SavedProgress(@Nullable String run, @Nullable ItemProgress shown) {
        this.run = run;
        this.shown = shown;
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

    /** Begins to write by transactions of the user, if the store can make this part of one. */
    TransactWriteItem byTransactions(Supplier<TransactWriteItem> part, String lease) {
        String other = "'save' or 'note', whose renewals could undo the transaction";
        ensureNot(Way.RENEWALS, "update", lease, other);
        TransactWriteItem made = part.get();
        goBy(Way.TRANSACTIONS, "update", lease, other);
        return made;
    }

    private void goBy(Way wanted, String what, String lease, String other) {
        way.compareAndSet(Way.NONE, wanted);
        ensureNot(wanted == Way.RENEWALS ? Way.TRANSACTIONS : Way.RENEWALS, what, lease, other);
    }

    private void ensureNot(Way refused, String what, String lease, String other) {
        if (way.get() == refused) {
            throw new IllegalStateException(
                    "'" + what + "' was called for the progress of lease " + lease + " after " + other);
        }
    }

    // ---- steps of the lease

    /** Takes a value. The future completes when it is in the table; {@code null}: nobody waits, so no renewal is sent for it. */
    void give(byte[] value, @Nullable CompletableFuture<Void> saved) {
        latest = value;
        given++;
        if (saved != null) {
            waiting.add(new Waiter(given, saved));
        }
    }

    /** Returns whether a caller waits for a value that the write in flight does not have. */
    boolean needsRenewal(int inFlight) {
        int wanted = waiting.isEmpty() ? 0 : waiting.get(waiting.size() - 1).number;
        return sent.getOrDefault(inFlight, 0) < wanted;
    }

    /** Returns whether a caller waits for a value to be in the table. */
    boolean isAwaited() {
        return waiting.stream().anyMatch(one -> !one.future.isDone());
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
        List<Waiter> served =
                waiting.stream().filter(one -> one.number <= confirmed).toList();
        waiting.removeAll(served);
        served.forEach(one -> one.future.complete(null));
    }

    /** Ends the waits, because the lease has ended; {@code written}: its release has left the latest value, or ended the run. */
    void endWaiting(boolean written, Supplier<? extends Throwable> error) {
        List<Waiter> ended = List.copyOf(waiting);
        waiting.clear();
        ended.forEach(one -> {
            if (written) {
                one.future.complete(null);
            } else {
                one.future.completeExceptionally(error.get());
            }
        });
    }

    /** Returns what the success of this run does with progress that it has not written: it ends its own, and that of former runs. */
    static ReleaseCommand.Progress afterSuccess(@Nullable String run, @Nullable ItemProgress shown) {
        boolean isOver = shown != null
                && (Objects.equals(run, shown.run())
                        || (run != null
                                && shown.run() != null
                                && new ItemRun(run, null, null, null, null).covers(shown.run())));
        return isOver ? new ReleaseCommand.Clear() : new ReleaseCommand.Keep();
    }

    /** Returns whether a value of this lease may be in the table. */
    boolean mayHaveWritten() {
        return confirmed > 0 || !sent.isEmpty() || way.get() == Way.TRANSACTIONS;
    }

    /** Returns what the release does with the progress; {@code ended}: the run has succeeded. */
    ReleaseCommand.Progress atEnd(boolean ended, long nowMillis) {
        byte[] value = latest;
        if (ended) {
            return mayHaveWritten() ? new ReleaseCommand.Clear() : afterSuccess(run, shown);
        }
        return value == null || confirmed == given
                ? new ReleaseCommand.Keep()
                : new ReleaseCommand.Write(new ItemProgress(run, value, nowMillis));
    }
}
