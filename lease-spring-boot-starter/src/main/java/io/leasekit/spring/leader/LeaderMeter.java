package io.leasekit.spring.leader;

import io.leasekit.LeaderElection;
import io.leasekit.LeaderElection.Work;
import io.leasekit.internal.Internal;
import java.util.function.Function;

/** Measures the elections of methods with {@link io.leasekit.spring.LeaderOnly}. */
@Internal
@FunctionalInterface
public interface LeaderMeter {

    /** The election runs {@code work}, or a wrapper that calls {@code work}. */
    LeaderElection elect(String manager, String name, Work work, Function<Work, LeaderElection> elect);
}
