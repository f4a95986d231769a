package io.leasekit.pause;

import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.time.EngineTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Lets operators read and change the pauses. Thread-safe. */
@Internal
public final class PauseControl implements LeasePauses {

    public static final String OFF =
            "Pauses are off, expected a manager built with pauses(true), in Spring Boot 'lease.pause.enabled=true'";

    /** Blocks the calling thread until the future is done. */
    public interface Awaiting {
        <T> T on(CompletableFuture<T> result, String what);
    }

    private final String owner;
    private final Parts parts;
    private final Runnable ensureOpen;
    private final Awaiting await;

    /**
     * The objects that all changes of the pauses use.
     *
     * @param names creates a unique name for each write
     */
    public record Parts(
            PauseBoard board,
            Requests requests,
            BoundedClock clock,
            EngineTime time,
            RandomGenerator random,
            Supplier<UUID> names,
            long patienceNanos) {}

    public PauseControl(String owner, Parts parts, Runnable ensureOpen, Awaiting await) {
        this.owner = owner;
        this.parts = parts;
        this.ensureOpen = ensureOpen;
        this.await = await;
    }

    @Override
    public boolean isEnabled() {
        return parts.board().isEnabled();
    }

    @Override
    public LeasePause pause(String keyOrPrefix, Instant until, String reason) {
        return pause(keyOrPrefix, until, reason, owner);
    }

    @Override
    public LeasePause pause(String keyOrPrefix, Instant until, String reason, String by) {
        LeasePause pause = PauseRules.pause(keyOrPrefix, until, reason, by);
        change((pauses, now) -> PauseRules.with(pauses, pause, now), true);
        return pause;
    }

    @Override
    public Optional<LeasePause> resume(String keyOrPrefix) {
        Checks.leaseKey(keyOrPrefix);
        return change((pauses, now) -> PauseRules.without(pauses, keyOrPrefix), true).stream()
                .filter(pause -> pause.keyOrPrefix().equals(keyOrPrefix))
                .findFirst();
    }

    @Override
    public List<LeasePause> list() {
        return isEnabled() ? change((pauses, now) -> pauses, false) : List.of();
    }

    /** Returns the pauses before the change. */
    private List<LeasePause> change(PauseChange.Change change, boolean removesIgnored) {
        ensureOpen.run();
        if (!isEnabled()) {
            throw new LeaseException(OFF, null);
        }
        PauseChange.Result result =
                await.on(new PauseChange(parts, change, removesIgnored).start(), "the pauses of the table");
        if (result.refusal() != null) {
            throw result.refusal();
        }
        return result.before();
    }
}
