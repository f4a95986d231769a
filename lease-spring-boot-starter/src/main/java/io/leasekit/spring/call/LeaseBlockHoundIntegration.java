package io.leasekit.spring.call;

import io.leasekit.internal.Internal;
import java.util.List;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Allows blocking calls that BlockHound would reject: reads of random bytes, and locks held for a few instructions.
 * BlockHound finds this class through the {@link java.util.ServiceLoader}.
 */
@Internal
public final class LeaseBlockHoundIntegration implements BlockHoundIntegration {

    /** Each list contains a class name and the methods of the class that briefly take a lock. */
    static final List<List<String>> LOCKS = List.of(
            List.of("internal.BriefLock", "get", "run"),
            List.of("kernel.ResultDelivery", "start"),
            List.of("engine.Events", "run"),
            List.of("time.SystemTime", "schedule", "removeCancelled"),
            List.of("memory.InMemoryLeaseStore", "locked"),
            List.of("requests.BoundedClock", "lookAgain", "sample"),
            List.of("threads.Losses", "start"),
            List.of("spring.call.InterruptOnLoss", "end", "send"),
            List.of("spring.call.RunWaiters", "locked", "replace"),
            List.of("threads.Sender", "later"));

    public LeaseBlockHoundIntegration() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.allowBlockingCallsInside("io.leasekit.engine.EngineBuilder", "newTenure");
        for (List<String> lock : LOCKS) {
            lock.stream()
                    .skip(1)
                    .forEach(method -> builder.allowBlockingCallsInside("io.leasekit." + lock.get(0), method));
        }
    }
}
