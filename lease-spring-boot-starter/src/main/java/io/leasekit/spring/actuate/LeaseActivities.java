package io.leasekit.spring.actuate;

import io.leasekit.LeaseManagerBuilder;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The activity of the managers of this process since their creation, for the endpoint {@code leases}: their requests,
 * losses, runs and the events of their keys. Its memory is bounded. Thread-safe.
 */
public final class LeaseActivities {

    private final Clock clock;
    private final Duration tableMaxAge;
    private final ConcurrentMap<String, LeaseActivity> activities = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TableSnapshot> snapshots = new ConcurrentHashMap<>();

    /**
     * Creates the object without any activity.
     *
     * @param clock the wall clock of this process
     * @param tableMaxAge the maximum age of a scan of the table; an older one is not shown again
     */
    public LeaseActivities(Clock clock, Duration tableMaxAge) {
        this.clock = clock;
        this.tableMaxAge = tableMaxAge;
    }

    /**
     * Follows the managers that this builder creates. A later call with the same name continues the same activity.
     *
     * @param bean the bean name of the manager
     * @param builder the builder of the manager
     */
    public void follow(String bean, LeaseManagerBuilder builder) {
        LeaseActivity activity = activities.computeIfAbsent(bean, added -> new LeaseActivity(clock));
        builder.monitor(activity).listener(activity);
    }

    @Nullable
    LeaseActivity of(String bean) {
        return activities.get(bean);
    }

    TableSnapshot table(String bean) {
        return snapshots.computeIfAbsent(bean, added -> new TableSnapshot(clock, tableMaxAge));
    }

    Clock clock() {
        return clock;
    }

    Duration tableMaxAge() {
        return tableMaxAge;
    }
}
