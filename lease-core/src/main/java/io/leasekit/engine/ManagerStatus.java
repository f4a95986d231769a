package io.leasekit.engine;

import io.leasekit.LeaseManagerStatus;
import java.time.Duration;

/** The state of a manager, for health and meters. */
final class ManagerStatus {

    private ManagerStatus() {}

    /** Returns the state of a manager. */
    static LeaseManagerStatus of(LeaseSettings settings, Register register, MeasuredStore store, BoundedClock clock) {
        long now = clock.now();
        MeasuredStore.Traffic traffic = store.traffic();
        BoundedClock.Interval interval = clock.at(now);
        return new LeaseManagerStatus(
                settings.owner(),
                settings.ttl(),
                register.heldCount(),
                register.waiting(now).size(),
                register.overdueCount(now),
                register.passiveCount(),
                MeasuredStore.since(traffic.success(), now),
                MeasuredStore.since(traffic.failure(), now),
                MeasuredStore.since(traffic.failing(), now),
                interval == null ? null : Duration.ofMillis(clock.wallMillisAhead(interval)),
                interval == null ? null : Duration.ofNanos((interval.latest() - interval.earliest()) / 2),
                store.hasTransactions(),
                store.problem());
    }
}
