package io.leasekit.spring.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;

/**
 * Begins the elections of methods with {@link io.leasekit.spring.LeaderOnly}. A bean of type {@code LeaderElector} can
 * wrap the work that leaders do. Without a bean of this type,
 * {@link LeaseManager#elect(LeaseRequest, ElectionSettings, LeaderElection.Work)} is called.
 */
@Internal
@FunctionalInterface
public interface LeaderElector {

    /** Begins an election with this manager, and returns at once. */
    LeaderElection elect(
            LeaseManager leases, LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);
}
