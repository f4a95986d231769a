package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A lease as the simulation uses it, whichever version its process runs. */
interface SimLease {

    /** Returns the lease of a process of either version. */
    static SimLease of(Lease lease) {
        return lease instanceof HeldLease held ? new Present(held) : VersionBridge.as(SimLease.class, lease);
    }

    List<String> keys();

    /** Returns the keys of the items; a version without permits has an item for each key. */
    default List<String> fencedKeys() {
        return keys();
    }

    UUID tenure();

    long fencingToken();

    Duration remaining();

    boolean isValid();

    CompletionStage<LeaseLossReason> lost();

    Optional<LeaseLossReason> lossReason();

    void recordRun(LeaseRunOutcome outcome);

    /** Returns the progress; only a lease of this version has any. */
    default Progress<String> progress() {
        throw new UnsupportedOperationException();
    }

    CompletionStage<Void> releaseAsync();

    CompletableFuture<Void> extended(Duration atLeast);

    /** A lease of this version. */
    record Present(HeldLease lease) implements SimLease {

        @Override
        public List<String> keys() {
            return lease.keys();
        }

        @Override
        public List<String> fencedKeys() {
            return lease.fencedKeys();
        }

        @Override
        public UUID tenure() {
            return lease.tenure();
        }

        @Override
        public long fencingToken() {
            return lease.fencingToken();
        }

        @Override
        public Duration remaining() {
            return lease.remaining();
        }

        @Override
        public boolean isValid() {
            return lease.isValid();
        }

        @Override
        public CompletionStage<LeaseLossReason> lost() {
            return lease.lost();
        }

        @Override
        public Optional<LeaseLossReason> lossReason() {
            return lease.lossReason();
        }

        @Override
        public void recordRun(LeaseRunOutcome outcome) {
            lease.recordRun(outcome);
        }

        @Override
        public Progress<String> progress() {
            return lease.progress(ProgressCodec.text());
        }

        @Override
        public CompletionStage<Void> releaseAsync() {
            return lease.releaseAsync();
        }

        @Override
        public CompletableFuture<Void> extended(Duration atLeast) {
            return lease.extended(atLeast);
        }

        @Override
        public String toString() {
            return lease.toString();
        }
    }
}
