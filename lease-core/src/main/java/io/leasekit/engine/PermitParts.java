package io.leasekit.engine;

import io.leasekit.internal.EngineTime;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The parts that the queues of permits share.
 *
 * @param acquisitions creates the acquire of one slot
 * @param lastUsed remembers the slot last used of a key
 * @param onIdle called when no caller needs a queue any more
 */
record PermitParts(
        String owner,
        int maxWaiters,
        long storeTimeout,
        LeaseRules rules,
        BoundedClock clock,
        EngineTime time,
        Requests requests,
        SeenItems seen,
        Watches watches,
        Inspection inspection,
        Register register,
        RandomGenerator random,
        BiFunction<LeaseTerms, Turns, Acquisition> acquisitions,
        Map<String, Integer> lastUsed,
        Consumer<PermitQueue> onIdle) {}
