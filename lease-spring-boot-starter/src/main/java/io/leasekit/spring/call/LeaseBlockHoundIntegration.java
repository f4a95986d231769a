package io.leasekit.spring.call;

import io.leasekit.internal.Internal;
import java.util.List;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Allows two kinds of blocking calls if an application uses BlockHound: reading random bytes from the operating system,
 * and taking locks that are held for a few instructions. If BlockHound did not allow these calls, it would throw errors
 * in the middle of operations of the engine or of a call. BlockHound finds this class through the
 * {@link java.util.ServiceLoader}.
 */
@Internal
public final class LeaseBlockHoundIntegration implements BlockHoundIntegration {

    /**
     * The classes that take locks for a few instructions. Each list contains the name of a class, followed by its
     * methods that take the lock of the class or of an executor's queue.
     */
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

    /** Creates the service. */
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
