package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.kernel.LeaseRecords;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LeaseState;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Edits;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which records the renewals and the release of one lease write: the run, the progress and the run history
 * (protocol 7). Only {@link #progress} and {@link #runBefore} are thread-safe.
 */
final class HeldRecords implements LeaseRecords.OfLease {

    private final LeaseState lease;
    private final LeaseSpec spec;
    private final Tenure tenure;
    private final FeatureRecords features;
    private final int mostRuns; // in the history of an item
    private final @Nullable SavedProgress progress; // null if the lease is not resumable
    private int historyFrom; // first renewal with the run of the dead holder; 0 if none
    private boolean historyWritten; // the table's history contains the run of the dead holder

    HeldRecords(LeaseState lease, Tenure tenure, FeatureRecords features) {
        this.lease = lease;
        this.spec = lease.spec;
        this.tenure = tenure;
        this.features = features;
        this.mostRuns = features.parts.settings.runHistory;
        this.progress = spec.resumable() ? new SavedProgress(spec.once(), ItemProgress.of(tenure.before())) : null;
    }

    // ---- thread-safe

    <T> Progress<T> progress(ProgressCodec<T> codec) {
        if (progress == null) {
            throw new IllegalStateException("Lease " + spec.name()
                    + " saves no progress, expected a request that is 'resumable', or an annotated method with"
                    + " 'resumable = true' or a parameter of type Progress");
        }
        return new HeldProgress<>(lease, progress, codec, features.parts);
    }

    @Nullable
    String runBefore() {
        return tenure.before().text(ItemRun.NAME);
    }

    // ---- mailbox steps

    @Override
    public Lease lease() {
        return new HeldLease(lease, this, features.parts);
    }

    /**
     * Returns whether the work waits, for at most 2 s, until the first renewal has added the dead holder's run to the
     * history. Without this delay, the history would miss runs if the work kills each process before its first renewal.
     */
    @Override
    public boolean delayWork() {
        return historyOfDead() != null;
    }

    @Override
    public boolean isAwaited() {
        return progress != null && progress.isAwaited();
    }

    @Override
    public boolean needRenewal(int inFlight) {
        return progress != null && progress.needsRenewal(inFlight);
    }

    @Override
    public Edits ofRenewal(Tenure.Attempt attempt) {
        Edits.Builder edits = Edits.builder().keptUntil(features.keptUntil(tenure, attempt));
        if (progress != null) {
            edits.add(progress.toWrite(attempt.number(), attempt.reading().middleMillis()));
        }
        String history = historyOfDead();
        if (history != null && historyFrom == 0) {
            historyFrom = attempt.number();
        }
        return edits.set(RecordTable.HISTORY, history).build();
    }

    @Override
    public void onConfirmed(int attempt) {
        historyWritten |= historyFrom > 0 && attempt >= historyFrom;
        if (progress != null) {
            progress.onWritten(attempt);
        }
    }

    @Override
    public LeaseRecords.Ending ofRelease(
            @Nullable LeaseRunOutcome outcome, @Nullable Throwable failure, Duration heldFor, boolean wasHeld) {
        LeasePastRun ended = outcome == null ? null : run(outcome, failure, heldFor);
        long nowMillis = lease.acquiredAt().toEpochMilli() + heldFor.toMillis();
        return new RunReport(
                features,
                spec,
                tenure,
                recorded(ended, wasHeld),
                progressAfter(outcome == LeaseRunOutcome.SUCCEEDED, nowMillis),
                progress != null && progress.mayHaveWritten(),
                history(ended));
    }

    private LeasePastRun run(LeaseRunOutcome outcome, @Nullable Throwable failure, Duration heldFor) {
        return new LeasePastRun(
                spec.once(),
                lease.owner(),
                lease.token(),
                lease.acquiredAt(),
                heldFor,
                outcome,
                failure == null ? null : failure.getClass().getName());
    }

    @Override
    public void endWaiting(boolean written, Supplier<? extends Throwable> error) {
        if (progress != null) {
            progress.endWaiting(written, error);
        }
    }

    /**
     * Returns the run that the release records; {@code null} if the release records no run. For a lost lease, records
     * only a successful run, because the loss may have caused a failure.
     */
    private static @Nullable ItemRun recorded(@Nullable LeasePastRun ended, boolean wasHeld) {
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
     * Returns the run history with the run of the dead previous holder added; {@code null} if there is nothing to add.
     */
    private @Nullable String historyOfDead() {
        return historyWritten ? null : RunHistory.withDead(spec, tenure, mostRuns);
    }

    /**
     * Returns the run history with the run of this lease added; {@code null} if the release does not change the
     * history.
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
