package io.leasekit.engine;

import io.leasekit.kernel.LeaseRecords;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import org.jspecify.annotations.Nullable;

/**
 * The records that the release of one lease writes: its run, its progress and the run history (protocol 7).
 * Thread-safe.
 */
final class RunReport implements LeaseRecords.Ending {

    private final FeatureRecords features;
    private final LeaseSpec spec;
    private final @Nullable ItemRun run;
    private final Edits progress;
    private final @Nullable String history;
    private final boolean mayLeaveRecords;
    private final boolean hadHistory;

    /**
     * @param mayHaveSaved whether a write of the lease, or a transaction of the holder, may have saved progress
     */
    RunReport(
            FeatureRecords features,
            LeaseSpec spec,
            Tenure tenure,
            @Nullable ItemRun run,
            Edits progress,
            boolean mayHaveSaved,
            @Nullable String history) {
        this.features = features;
        this.spec = spec;
        this.run = run;
        this.progress = progress;
        this.history = history;
        boolean cleared = progress.removes().contains(ItemProgress.DATA);
        boolean writes = progress.sets().has(ItemProgress.DATA);
        boolean mayHaveProgress = !cleared && (writes || mayHaveSaved || tenure.mayHave(ItemProgress.DATA));
        this.mayLeaveRecords = tenure.mayHave(ItemRun.NAME) || run() != null || mayHaveProgress;
        this.hadHistory = tenure.before().has(RecordTable.HISTORY);
    }

    @Override
    public boolean isNone() {
        return run == null && history == null && !progress.changesRecords();
    }

    /** A run's name and progress must not be lost; other records are only for display. */
    @Override
    public boolean mustBeWritten() {
        return run() != null || progress.changesRecords();
    }

    @Override
    public boolean retainsItem() {
        return history != null;
    }

    @Override
    public boolean mayLeaveRecords() {
        return mayLeaveRecords;
    }

    @Override
    public boolean isWorthKeeping() {
        return hadHistory || !isNone();
    }

    @Override
    public Edits edits(String key, boolean deletes, boolean unlessRecords) {
        return Edits.builder()
                .add(unlessRecords ? KeptRecords.NONE : Edits.NONE)
                .add(deletes ? Edits.NONE : run(key))
                .add(progress)
                .set(RecordTable.HISTORY, history)
                .build();
    }

    /** Only the item that decides whether the run is done gets the run's name. */
    private Edits run(String key) {
        return run == null
                ? Edits.NONE
                : new ItemRun(spec.onceOf(key), run.owner(), run.begunAt(), run.outcome(), run.duration()).edits();
    }

    @Override
    public @Nullable String run() {
        return run == null ? null : run.name();
    }

    @Override
    public boolean lacksRun(String key, @Nullable LeaseItem item) {
        String name = run();
        return name != null && spec.onceOf(key) != null && (item == null || !ItemRun.isDone(item.records(), name));
    }

    @Override
    public void onFound(LeaseItem item) {
        features.warnOfOtherOrder(spec, item);
    }
}
