package io.leasekit.spring.context;

import io.leasekit.Lease;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/** A lease that is lost when a test says so. */
public final class FakeLease implements Lease {

    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> stopRequest = new CompletableFuture<>();
    private final String key;
    private final CompletableFuture<Thread> asker = new CompletableFuture<>();
    private volatile boolean unconfirmed;
    private final AtomicInteger releases = new AtomicInteger(); // another thread may release
    private @Nullable LeaseRunOutcome outcome;

    public FakeLease() {
        this("key");
    }

    public FakeLease(String key) {
        this.key = key;
    }

    public void lose(LeaseLossReason reason) {
        lost.complete(reason);
    }

    /** Makes the lease unconfirmed, as after a jump of a clock, until its renewal, which succeeds at once. */
    public void unconfirm() {
        unconfirmed = true;
    }

    /** The first thread that has made sure that the lease is valid, and would have waited for a renewal. */
    public CompletableFuture<Thread> asker() {
        return asker;
    }

    @Nullable
    public LeaseRunOutcome outcome() {
        return outcome;
    }

    public int releases() {
        return releases.get();
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String owner() {
        return "owner";
    }

    @Override
    public long fencingToken() {
        return 1;
    }

    @Override
    public Instant acquiredAt() {
        return Instant.EPOCH;
    }

    @Override
    public boolean isValid() {
        return !lost.isDone() && !unconfirmed && releases.get() == 0;
    }

    @Override
    public Duration remaining() {
        return isValid() ? Duration.ofSeconds(60) : Duration.ZERO;
    }

    @Override
    public void extend(Duration atLeast) {
        ensureValid();
    }

    @Override
    public void ensureValid() {
        unconfirmed = false;
        asker.complete(Thread.currentThread());
        if (lost.isDone()) {
            throw new LeaseLostException("Lease 'key' is lost", lost.join());
        }
    }

    @Override
    public CompletionStage<LeaseLossReason> lost() {
        return lost;
    }

    @Override
    public Optional<LeaseLossReason> lossReason() {
        return Optional.ofNullable(lost.getNow(null));
    }

    @Override
    public boolean stopRequested() {
        return stopRequest.isDone();
    }

    @Override
    public CompletionStage<Void> whenStopRequested() {
        return stopRequest;
    }

    public void requestStop() {
        stopRequest.complete(null);
    }

    @Override
    public LeaseFence fence() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ConditionCheck conditionCheck() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> Progress<T> progress(ProgressCodec<T> codec) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<String> runName() {
        return Optional.empty();
    }

    @Override
    public void recordRun(LeaseRunOutcome value) {
        outcome = value;
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        releases.incrementAndGet();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void release(Duration keep) {
        releases.incrementAndGet();
    }

    @Override
    public void close() {
        releases.incrementAndGet();
    }
}
