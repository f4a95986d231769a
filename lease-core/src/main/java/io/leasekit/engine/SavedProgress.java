package io.leasekit.engine;

import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.store.Edits;
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
 * The progress of one lease (protocol 5.12): the value that earlier holders of the run saved, and the values of the
 * present holder. Each renewal writes the latest value, until a reply confirms that the table contains this value. The
 * versions of the renewals keep the values in order, so a late copy of a renewal changes nothing.
 */
final class SavedProgress {

    /**
     * The way in which the holder saves values: by renewals or by its own transactions. A lease never uses both ways,
     * because a late renewal would undo a later transaction.
     */
    private enum Way {
        NONE,
        RENEWALS,
        TRANSACTIONS
    }

    /** A caller that waits until a value with at least this number is in the table. */
    private record Waiter(int number, CompletableFuture<Void> future) {}

    private final @Nullable String run;
    private final @Nullable ItemProgress shown; // the progress that the item showed before the acquire, of any run
    private final @Nullable ItemProgress before; // the same progress; null if another run saved the progress
    private final AtomicReference<Way> way = new AtomicReference<>(Way.NONE);

    // Only the mailbox of the lease uses the fields below.
    private byte @Nullable [] latest;
    private int given; // the number of the latest value; 0 if there is no value
    private int confirmed; // the number of the latest value that is surely in the table
    // The attempts that no reply has confirmed, each with the number of the value that the attempt wrote.
    private final NavigableMap<Integer, Integer> sent = new TreeMap<>();
    private final List<Waiter> waiting = new ArrayList<>(1);

    SavedProgress(@Nullable String run, @Nullable ItemProgress shown) {
        this.run = run;
        this.shown = shown;
        this.before = shown != null && Objects.equals(run, shown.run()) ? shown : null;
    }

    // ---- thread-safe

    byte @Nullable [] before() {
        return before == null ? null : before.data();
    }

    void byRenewals(String what, String lease) {
        goBy(Way.RENEWALS, what, lease, "'update', whose transaction a renewal that is applied late would undo");
    }

    /**
     * Returns the result of {@code part}; from then on, the holder can save values only by transactions. If
     * {@code part} throws an exception, the holder can still save values by renewals.
     */
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

    // ---- mailbox steps

    /**
     * Accepts a new value.
     *
     * @param saved completes when the value is in the table; {@code null}: no caller waits, so no additional renewal is
     *     sent
     */
    void give(byte[] value, @Nullable CompletableFuture<Void> saved) {
        latest = value;
        given++;
        if (saved != null) {
            waiting.add(new Waiter(given, saved));
        }
    }

    /** Returns whether a caller waits for a value that the renewal in flight does not contain. */
    boolean needsRenewal(int inFlight) {
        int wanted = waiting.isEmpty() ? 0 : waiting.get(waiting.size() - 1).number;
        return sent.getOrDefault(inFlight, 0) < wanted;
    }

    boolean isAwaited() {
        return waiting.stream().anyMatch(one -> !one.future.isDone());
    }

    /**
     * Returns the changes that write the latest value; {@link Edits#NONE} if the table already has the latest value.
     */
    Edits toWrite(int attempt, long nowMillis) {
        byte[] value = latest;
        if (value == null || confirmed == given) {
            return Edits.NONE;
        }
        sent.put(attempt, given);
        return new ItemProgress(run, value, nowMillis).edits();
    }

    /** Notes that this attempt was applied. An attempt with a smaller number can no longer be applied. */
    void onWritten(int attempt) {
        confirmed = Math.max(confirmed, sent.getOrDefault(attempt, 0));
        sent.headMap(attempt, true).clear();
        List<Waiter> served =
                waiting.stream().filter(one -> one.number <= confirmed).toList();
        waiting.removeAll(served);
        served.forEach(one -> one.future.complete(null));
    }

    /**
     * Completes the futures of all waiting callers when the lease has ended.
     *
     * @param written whether the release has written the latest value or has removed the progress of a finished run
     */
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

    /**
     * Returns the changes after a successful run that wrote no progress. The changes remove progress of this run or of
     * an earlier run.
     */
    static Edits afterSuccess(@Nullable String run, @Nullable ItemProgress shown) {
        boolean isOver = shown != null
                && (Objects.equals(run, shown.run()) || (shown.run() != null && ItemRun.covers(run, shown.run())));
        return isOver ? ItemProgress.CLEAR : Edits.NONE;
    }

    boolean mayHaveWritten() {
        return confirmed > 0 || !sent.isEmpty() || way.get() == Way.TRANSACTIONS;
    }

    /**
     * Returns the changes that the release makes to the stored progress.
     *
     * @param ended whether the run has succeeded
     */
    Edits atEnd(boolean ended, long nowMillis) {
        byte[] value = latest;
        if (ended) {
            return mayHaveWritten() ? ItemProgress.CLEAR : afterSuccess(run, shown);
        }
        return value == null || confirmed == given ? Edits.NONE : new ItemProgress(run, value, nowMillis).edits();
    }
}
