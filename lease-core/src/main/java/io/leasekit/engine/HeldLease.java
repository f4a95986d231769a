package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.internal.EngineLease;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.kernel.LeaseState;
import io.leasekit.limits.Checks;
import io.leasekit.requests.Requests;
import io.leasekit.store.StoreInfo;
import io.leasekit.tenure.Validity;
import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** The {@link Lease} object for the holder; {@link LeaseState} contains its state. Thread-safe. */
final class HeldLease implements Lease, EngineLease {

    private final LeaseState state;
    private final Validity validity;
    private final LeaseSpec spec;
    private final HeldRecords records;
    private final EngineParts parts;

    HeldLease(LeaseState state, HeldRecords records, EngineParts parts) {
        this.state = state;
        this.validity = state.validity();
        this.spec = state.spec;
        this.records = records;
        this.parts = parts;
    }

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
        return validity.isValid();
    }

    @Override
    public Duration remaining() {
        return validity.remaining();
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

    /** Extends the lease. The returned future completes after a renewal has confirmed the extension. */
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
        return records.progress(codec);
    }

    @Override
    public Optional<String> runName() {
        return Optional.ofNullable(spec.once());
    }

    @Override
    public @Nullable String runBefore() {
        return records.runBefore();
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
}
