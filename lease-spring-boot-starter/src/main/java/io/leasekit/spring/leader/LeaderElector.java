package io.leasekit.spring.leader;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.internal.Internal;

/**
 * Begins the election of a method with {@link io.leasekit.spring.LeaderOnly}. A bean of this type can wrap the method's
 * work.
 */
@Internal
@FunctionalInterface
public interface LeaderElector {

    LeaderElection elect(
            LeaseManager leases, LeaseRequest request, ElectionSettings settings, LeaderElection.Work work);
}
