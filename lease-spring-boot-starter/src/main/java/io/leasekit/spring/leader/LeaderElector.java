package io.leasekit.spring.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;

/**
 * Begins the elections of methods with {@link io.leasekit.spring.LeaderOnly}; a bean of this type can wrap the leaders'
 * work.
 */
@Internal
@FunctionalInterface
public interface LeaderElector {

    LeaderElection elect(
            LeaseManager leases, LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);
}
