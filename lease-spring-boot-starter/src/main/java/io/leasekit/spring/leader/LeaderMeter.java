package io.leasekit.spring.leader;

import io.leasekit.LeaderElection;
import io.leasekit.LeaderElection.Work;
import io.leasekit.internal.Internal;
import java.util.function.Function;

/** Measures the elections of methods with {@link io.leasekit.spring.LeaderOnly}. */
@Internal
@FunctionalInterface
public interface LeaderMeter {

    /**
     * Begins an election by {@code elect}, with this work or with other work that calls it, and returns the election.
     */
    LeaderElection elect(String manager, String name, Work work, Function<Work, LeaderElection> elect);
}
