package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An election in the state that a test sets. */
final class FakeElection implements LeaderElection {

    static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    boolean leads;

    @Nullable
    Duration stoppingFor;

    FakeElection(boolean leads, @Nullable Duration stoppingFor) {
        this.leads = leads;
        this.stoppingFor = stoppingFor;
    }

    @Override
    public String key() {
        return "secret-key";
    }

    @Override
    public boolean isLeader() {
        return leads;
    }

    @Override
    public Optional<LeaseInfo> leader() {
        return Optional.empty();
    }

    @Override
    public Optional<Duration> stoppingFor() {
        return Optional.ofNullable(stoppingFor);
    }

    @Override
    public Duration stopTimeout() {
        return STOP_TIMEOUT;
    }

    @Override
    public void resign() {}

    @Override
    public void close() {}

    @Override
    public CompletionStage<Void> closeAsync() {
        return CompletableFuture.completedStage(null);
    }
}
