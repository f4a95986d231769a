package io.leasekit.spring.autoconfigure;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseFence;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.limits.Checks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A lease that excludes nobody, for applications whose leases are switched off. It is never lost. Thread-safe. */
final class UnguardedLease implements Lease {

    static final String OWNER = "unguarded";

    private final LeaseRequest request;
    private final Duration ttl;
    private final Instant acquiredAt;
    private final long token;
    private final CompletableFuture<Void> stopRequest;
    private volatile boolean released;

    /** {@code stopRequest} completes with the request to stop. */
    UnguardedLease(
            LeaseRequest request, Duration ttl, Instant acquiredAt, long token, CompletableFuture<Void> stopRequest) {
        this.request = request;
        this.ttl = ttl;
        this.acquiredAt = acquiredAt;
        this.token = token;
        this.stopRequest = stopRequest;
    }

    @Override
    public String key() {
        return request.key();
    }

    @Override
    public List<String> keys() {
        return request.keys();
    }

    @Override
    public int permits() {
        return request.permits();
    }

    @Override
    public String owner() {
        return OWNER;
    }

    @Override
    public long fencingToken() {
        return token;
    }

    @Override
    public Instant acquiredAt() {
        return acquiredAt;
    }

    @Override
    public boolean isValid() {
        return !released;
    }

    @Override
    public Duration remaining() {
        return released ? Duration.ZERO : ttl;
    }

    @Override
    public void ensureValid() {
        if (released) {
            throw new LeaseException("Lease '" + key() + "' was released", null);
        }
    }

    @Override
    public void extend(Duration atLeast) {
        Checks.extension(atLeast, key());
        ensureValid(); // it has no end that could move
    }

    @Override
    public CompletionStage<LeaseLossReason> lost() {
        return new CompletableFuture<LeaseLossReason>().minimalCompletionStage();
    }

    @Override
    public Optional<LeaseLossReason> lossReason() {
        return Optional.empty();
    }

    @Override
    public boolean stopRequested() {
        return stopRequest.isDone();
    }

    @Override
    public CompletionStage<Void> whenStopRequested() {
        return stopRequest.copy();
    }

    @Override
    public LeaseFence fence() {
        throw withoutTable("fence");
    }

    @Override
    public ConditionCheck conditionCheck() {
        throw withoutTable("condition check");
    }

    /** Values are saved nowhere, so each run begins anew. */
    @Override
    public <T> Progress<T> progress(ProgressCodec<T> codec) {
        return new Progress<>() {
            @Override
            public Optional<T> last() {
                return Optional.empty();
            }

            @Override
            public void save(T value) {
                ensureValid();
            }

            @Override
            public CompletionStage<Void> saveAsync(T value) {
                return CompletableFuture.completedStage(null);
            }

            @Override
            public void note(T value) {
                // there is no table
            }

            @Override
            public TransactWriteItem update(T value) {
                throw withoutTable("write of progress");
            }
        };
    }

    private UnsupportedOperationException withoutTable(String what) {
        return new UnsupportedOperationException(
                "Lease '" + key() + "' has no " + what + ", because 'lease.enabled' is 'false'");
    }

    @Override
    public Optional<String> runName() {
        return Optional.ofNullable(request.once());
    }

    @Override
    public void recordRun(LeaseRunOutcome outcome) {
        // there is no table
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        released = true;
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void release(Duration keep) {
        Checks.notNegative(keep, "keep", key());
        released = true; // nobody is kept out, as there is no table
    }

    @Override
    public void close() {
        released = true;
    }

    @Override
    public String toString() {
        return "UnguardedLease[key=" + String.join(", ", keys()) + ", fencingToken=" + token + "]";
    }
}
