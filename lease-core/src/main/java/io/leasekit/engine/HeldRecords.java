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
 * Decides which records the renewals and the release of one lease write (protocol 7): the run, the saved progress and
 * the run history. Only {@link #progress} and {@link #runBefore} are thread-safe.
 */
final class HeldRecords {

    private final LeaseSpec spec;
    private final Tenure tenure;
    private final int mostRuns;
    private final @Nullable SavedProgress progress; // null if the lease is not resumable
    private int historyFrom; // first renewal with the run of the dead holder; 0 if none
    private boolean historyWritten; // the table's history contains the run of the dead holder

    /** {@code mostRuns}: the maximum number of runs in the history of an item. */
    HeldRecords(LeaseSpec spec, Tenure tenure, int mostRuns) {
        this.spec = spec;
        this.tenure = tenure;
        this.mostRuns = mostRuns;
        this.progress = spec.resumable() ? new SavedProgress(spec.once(), ItemProgress.of(tenure.before())) : null;
    }

    // ---- for any thread

    @Nullable
    SavedProgress progress() {
        return progress;
    }

    /**
     * Returns the name of the last run that the item recorded before this lease was acquired; {@code null} if no such
     * run is known.
     */
    @Nullable
    String runBefore() {
        return tenure.before().text(ItemRun.NAME);
    }

    // ---- steps of the lease

    /**
     * Returns whether the work starts only after the first renewal (after 2 s at most), which adds the dead holder's
     * run to the history. If the work killed each holder's process before the first renewal, the history would miss
     * runs, because a holder adds only the run of the holder directly before it.
     */
    boolean delayWork() {
        return historyOfDead() != null;
    }

    boolean isAwaited() {
        return progress != null && progress.isAwaited();
    }

    /**
     * Returns whether a further renewal is needed, because a caller waits for a value of the progress that the renewal
     * in flight does not contain.
     */
    boolean needRenewal(int inFlight) {
        return progress != null && progress.needsRenewal(inFlight);
    }

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

    /** Notes that this write of the lease was applied. */
    void onConfirmed(int attempt) {
        historyWritten |= historyFrom > 0 && attempt >= historyFrom;
        if (progress != null) {
            progress.onWritten(attempt);
        }
    }

    /**
     * Returns the changes to the run, the progress and the run history that the release writes.
     *
     * @param ended the run of the work under the lease; {@code null} if the work has recorded no outcome
     * @param wasHeld whether the lease was held until the release, and not lost before
     */
    Release.Report ofRelease(@Nullable LeasePastRun ended, boolean wasHeld, long nowMillis) {
        boolean succeeded = ended != null && ended.outcome() == LeaseRunOutcome.SUCCEEDED;
        return new Release.Report(
                run(ended, wasHeld),
                progressAfter(succeeded, nowMillis),
                progress != null && progress.mayHaveWritten(),
                history(ended));
    }

    /**
     * Completes the futures of callers that wait until their progress is saved, because the lease has ended.
     * {@code written}: whether the release has written the latest value or has removed the progress of a finished run.
     */
    void endWaiting(boolean written, Supplier<? extends Throwable> error) {
        if (progress != null) {
            progress.endWaiting(written, error);
        }
    }

    /**
     * Returns the run that the release records; {@code null} if the release records no run. If the lease was lost, a
     * success is recorded, unless another owner has acquired the lease since; a failure is not recorded, because the
     * loss may have caused it.
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
                        spec.once(), ItemProgress.of(tenure.before())) // this application version saves no progress
                : Edits.NONE;
    }

    /**
     * Returns the run history with the added run of the previous holder, which has died; {@code null} if no such run is
     * known or the table already contains it.
     */
    private @Nullable String historyOfDead() {
        return historyWritten ? null : RunHistory.withDead(spec, tenure, mostRuns);
    }

    /**
     * Returns the run history with the added run of this lease; {@code null} if the release does not change the history
     * in the item.
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
