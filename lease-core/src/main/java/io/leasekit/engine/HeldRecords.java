package io.leasekit.engine;

import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Edits;
import io.leasekit.tenure.Tenure;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records in the writes of one held lease (protocol 7): the run, the saved progress and the run history. All steps run in
 * the mailbox of the lease, except {@link #progress} and {@link #runBefore}.
 */
final class HeldRecords {

    private final LeaseSpec spec;
    private final Tenure tenure;
    private final int mostRuns;
    private final @Nullable SavedProgress progress; // null: the lease is not resumable
    private int historyFrom; // number of the first renewal with the run of the dead holder; 0: none yet
    private boolean historyWritten; // the table's history contains the run of the dead holder

    /** {@code mostRuns}: the maximum number of runs in the history of an item. */
    HeldRecords(LeaseSpec spec, Tenure tenure, int mostRuns) {
        this.spec = spec;
        this.tenure = tenure;
        this.mostRuns = mostRuns;
        this.progress = spec.resumable() ? new SavedProgress(spec.once(), ItemProgress.of(tenure.before())) : null;
    }

    // ---- for any thread

    /** Returns the progress; {@code null}: the lease is not resumable. */
    @Nullable
    SavedProgress progress() {
        return progress;
    }

    /**
     * Returns the name of the last run that the item recorded before this lease was acquired; {@code null}: none is
     * known.
     */
    @Nullable
    String runBefore() {
        return tenure.before().text(ItemRun.NAME);
    }

    // ---- steps of the lease

    /**
     * Returns whether the work waits for the first renewal, because this renewal writes the run of the dead holder. The
     * work waits for up to 2 s. Without the wait, the history could lack the run: if the work kills this node, too, the
     * next holder adds only the run of this node.
     */
    boolean delayWork() {
        return historyOfDead() != null;
    }

    /** Returns whether a caller waits for the table to contain a value of the progress. */
    boolean isAwaited() {
        return progress != null && progress.isAwaited();
    }

    /** Returns whether a caller waits for a value of the progress that the renewal in flight does not contain. */
    boolean needRenewal(int inFlight) {
        return progress != null && progress.needsRenewal(inFlight);
    }

    /** Returns the edits of a renewal. */
    Edits ofRenewal(Tenure.Attempt attempt) {
        Edits.Builder edits = Edits.builder();
        if (progress != null) {
            edits.add(progress.toWrite(attempt.number(), attempt.reading().middleMillis()));
        }
        String history = historyOfDead();
        if (history != null && historyFrom == 0) {
            historyFrom = attempt.number();
        }
        return edits.set(RecordTable.HISTORY, history).build();
    }

    /** Records that this write of the lease was applied. */
    void onConfirmed(int attempt) {
        historyWritten |= historyFrom > 0 && attempt >= historyFrom;
        if (progress != null) {
            progress.onWritten(attempt);
        }
    }

    /**
     * Returns what the release writes.
     *
     * @param ended the run of the code under the lease; {@code null}: the code has recorded no outcome
     * @param wasHeld whether the lease was held until the release, not lost
     */
    ReleaseDraft.Report ofRelease(@Nullable LeasePastRun ended, boolean wasHeld, long nowMillis) {
        boolean succeeded = ended != null && ended.outcome() == LeaseRunOutcome.SUCCEEDED;
        return new ReleaseDraft.Report(
                run(ended, wasHeld),
                progressAfter(succeeded, nowMillis),
                progress != null && progress.mayHaveWritten(),
                history(ended));
    }

    /**
     * Ends the waits of callers for the progress, because the lease has ended. {@code written}: whether the release has
     * written the latest value, or has ended the run.
     */
    void endWaiting(boolean written, Supplier<? extends Throwable> error) {
        if (progress != null) {
            progress.endWaiting(written, error);
        }
    }

    /**
     * Returns the run to record; {@code null}: none. After a loss, a success is still recorded if no other owner has
     * acquired the lease since. A failure is not recorded, because the loss may have caused it.
     */
    private static @Nullable ItemRun run(@Nullable LeasePastRun ended, boolean wasHeld) {
        LeaseRunOutcome outcome = ended == null ? null : ended.outcome();
        boolean counts = outcome == LeaseRunOutcome.SUCCEEDED || (outcome == LeaseRunOutcome.FAILED && wasHeld);
        return ended != null && outcome != null && counts
                ? new ItemRun(ended.name(), ended.owner(), ended.begunAt(), outcome.name(), ended.duration())
                : null;
    }

    private Edits progressAfter(boolean succeeded, long nowMillis) {
        if (progress != null) {
            return progress.atEnd(succeeded, nowMillis);
        }
        return succeeded && !spec.isGroup() && spec.permit() == null
                ? SavedProgress.afterSuccess(
                        spec.once(), ItemProgress.of(tenure.before())) // an application version that saves no progress
                : Edits.NONE;
    }

    /**
     * Returns the text of the last runs, including the run of the previous holder, which has died; {@code null}: there
     * is no such run, or the table already contains it.
     */
    private @Nullable String historyOfDead() {
        return historyWritten ? null : RunHistory.withDead(spec, tenure, mostRuns);
    }

    /**
     * Returns the text of the last runs, including the run that ends now; {@code null}: the release does not change the
     * text in the item.
     */
    private @Nullable String history(@Nullable LeasePastRun ended) {
        if (ended == null || !RunHistory.isKept(spec, mostRuns)) {
            return historyOfDead();
        }
        String before = RunHistory.withDead(spec, tenure, mostRuns);
        return RunHistory.with(
                before == null ? tenure.before().text(RecordTable.HISTORY) : before, List.of(ended), mostRuns);
    }
}
