package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.internal.EngineLease;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseRecords;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LeaseState;
import io.leasekit.limits.Checks;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.records.RunHistory;
import io.leasekit.requests.Requests;
import io.leasekit.store.Edits;
import io.leasekit.store.StoreInfo;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * Implements the {@link Lease} that callers get. Renewals and the release write the run, the progress and the run
 * history (protocol 7). {@link LeaseState} contains the state of the lease. The methods of {@link Lease} are
 * thread-safe.
 */
final class HeldLease implements Lease, EngineLease, LeaseRecords.OfLease {

    private final LeaseState state;
    private final LeaseSpec spec;
    private final Tenure tenure;
    private final FeatureRecords features;
    private final EngineParts parts;
    private final @Nullable SavedProgress progress;
    // The number of the first renewal that writes the dead holder's run to the history; 0 if none.
    private int historyFrom;
    // Whether a reply has confirmed that the table's history contains the dead holder's run.
    private boolean historyWritten;

    HeldLease(LeaseState state, Tenure tenure, FeatureRecords features) {
        this.state = state;
        this.spec = state.spec;
        this.tenure = tenure;
        this.features = features;
        this.parts = features.parts;
        this.progress = spec.resumable() ? new SavedProgress(spec.once(), ItemProgress.of(tenure.before())) : null;
    }

    // ---- for the holder: thread-safe

    @Override
    public String key() {
        return spec.key();
    }

    @Override
    public List<String> keys() {
        return spec.keys();
    }

    @Override
    public String owner() {
        return state.owner();
    }

    @Override
    public long fencingToken() {
        return state.token();
    }

    @Override
    public int slot() {
        return spec.slot();
    }

    @Override
    public int permits() {
        return spec.permit() == null ? 0 : spec.permit().of();
    }

    UUID tenure() {
        return state.tenure();
    }

    @Override
    public Instant acquiredAt() {
        return state.acquiredAt();
    }

    @Override
    public boolean isValid() {
        return state.validity().isValid();
    }

    @Override
    public Duration remaining() {
        return state.validity().remaining();
    }

    @Override
    public void ensureValid() {
        if (isValid()) {
            return;
        }
        parts.delivery.await(confirmed(), "the renewal of lease " + spec.name());
    }

    @Override
    public void extend(Duration atLeast) {
        long patience = Math.max(Requests.TIMEOUT, parts.storeTimeout);
        parts.delivery.await(extended(atLeast), patience, "the extension of lease " + spec.name());
    }

    CompletableFuture<Void> extended(Duration atLeast) {
        long nanos = LeaseSpec.nanos(Checks.extension(atLeast, key()));
        long left = spec.holdAtMost() - LeaseSpec.nanos(state.heldFor());
        if (nanos > left) {
            throw new IllegalArgumentException(
                    "extend is " + Text.exact(atLeast) + " for lease key " + Text.quote(key()) + ", expected at most "
                            + Text.duration(Duration.ofNanos(Math.max(0, left))) + ", which is left of 'holdAtMost'");
        }
        CompletableFuture<Void> extended = new CompletableFuture<>();
        state.extend(nanos, extended);
        return extended;
    }

    @Override
    public CompletableFuture<Void> confirmed() {
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        if (isValid()) {
            confirmed.complete(null);
        } else {
            state.awaitValid(confirmed);
        }
        return confirmed;
    }

    @Override
    public CompletionStage<LeaseLossReason> lost() {
        return state.lost().minimalCompletionStage();
    }

    @Override
    public Optional<LeaseLossReason> lossReason() {
        return state.lossReason();
    }

    @Override
    public boolean stopRequested() {
        return state.isStopRequested();
    }

    @Override
    public CompletionStage<Void> whenStopRequested() {
        return parts.delivery.ofLosses(state.stopRequest());
    }

    @Override
    public void requestStop() {
        state.requestStop();
    }

    @Override
    public LeaseFence fence() {
        ensureOneKey("fence", "fences()");
        return fences().get(0);
    }

    @Override
    public List<LeaseFence> fences() {
        if (!isValid()) {
            throw state.notValid();
        }
        return fencedKeys().stream()
                .map(key -> new LeaseFence(key, fencingToken(), tenure()))
                .toList();
    }

    List<String> fencedKeys() {
        return spec.fencedKeys();
    }

    @Override
    public ConditionCheck conditionCheck() {
        ensureOneKey("check", "conditionChecks()");
        return conditionChecks().get(0);
    }

    @Override
    public List<ConditionCheck> conditionChecks() {
        StoreInfo.ConditionChecks checks = parts.path.store().info().conditionChecks();
        return fences().stream()
                .map(fence -> checks.of(
                        fence.key(), fence.fencingToken(), fence.tenure().toString()))
                .toList();
    }

    private void ensureOneKey(String one, String forEach) {
        if (keys().size() > 1) {
            throw new IllegalStateException("Lease " + spec.name() + " has " + keys().size() + " keys, and one " + one
                    + " does not cover them: call " + forEach);
        }
    }

    @Override
    public <T> Progress<T> progress(ProgressCodec<T> codec) {
        Objects.requireNonNull(
                codec, () -> "Codec for the progress of lease " + spec.name() + " is null, expected a ProgressCodec");
        if (progress == null) {
            throw new IllegalStateException("Lease " + spec.name()
                    + " saves no progress, expected a request that is 'resumable', or an annotated method with"
                    + " 'resumable = true' or a parameter of type Progress");
        }
        return new HeldProgress<>(state, progress, codec, parts);
    }

    @Override
    public Optional<String> runName() {
        return Optional.ofNullable(spec.once());
    }

    @Override
    public @Nullable String runBefore() {
        return tenure.before().text(ItemRun.NAME);
    }

    @Override
    public void recordRun(LeaseRunOutcome outcome) {
        state.recordRun(outcome, null);
    }

    @Override
    public void recordRun(LeaseRunOutcome outcome, @Nullable Throwable error) {
        state.recordRun(outcome, error);
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        state.giveBack();
        return parts.delivery.stage(state.released());
    }

    @Override
    public CompletionStage<Void> releaseFromHere() {
        parts.sender.here(sending -> state.giveBack(sending, 0));
        return parts.delivery.stage(state.released());
    }

    @Override
    public void noteUnused() {
        state.noteUnused();
    }

    @Override
    public void release(Duration keep) {
        Checks.notNegative(keep, "keep", key());
        release(LeaseSpec.nanos(keep));
    }

    @Override
    public void close() {
        release(0);
    }

    private void release(long keep) {
        parts.sender.here(sending -> state.giveBack(sending, keep));
        parts.delivery.awaitBriefly(state.released(), Requests.TIMEOUT);
    }

    @Override
    public String toString() {
        return "Lease[" + (keys().size() > 1 ? "keys=" : "key=") + spec.name() + ", owner=" + Text.quote(owner())
                + ", fencingToken=" + fencingToken() + ", remaining=" + Text.duration(remaining()) + "]";
    }

    // ---- mailbox steps

    @Override
    public Lease lease() {
        return this;
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
        long nowMillis = state.acquiredAt().toEpochMilli() + heldFor.toMillis();
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
                state.owner(),
                state.token(),
                state.acquiredAt(),
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

    /** A lost lease records only a successful run, because the loss may have caused a failure. */
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
        // Another version of the application, whose requests are resumable, may have saved progress.
        return succeeded && !spec.isGroup() && spec.permit() == null
                ? SavedProgress.afterSuccess(spec.once(), ItemProgress.of(tenure.before()))
                : Edits.NONE;
    }

    private @Nullable String historyOfDead() {
        return historyWritten ? null : features.historyOfDead(spec, tenure);
    }

    /** Returns {@code null} if the release does not change the history. */
    private @Nullable String history(@Nullable LeasePastRun ended) {
        if (ended == null || !features.keepsHistory(spec)) {
            return historyOfDead();
        }
        String before = features.historyOfDead(spec, tenure);
        return RunHistory.with(
                before == null ? tenure.before().text(RecordTable.HISTORY) : before, ended, parts.settings.runHistory);
    }
}
