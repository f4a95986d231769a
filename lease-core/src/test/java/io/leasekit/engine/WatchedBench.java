package io.leasekit.engine;

import io.leasekit.Lease;
import io.leasekit.LeaseWatch;
import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Two processes in virtual time, one of which watches a key. */
abstract class WatchedBench {

    static final Duration SECOND = Duration.ofSeconds(1);

    final Bench bench = new Bench();
    final Bench.Node here = bench.start("here");
    final Bench.Node other = bench.start("other");
    final List<State> states = new ArrayList<>();

    LeaseWatch watch() {
        return here.leases.watch("key", states::add);
    }

    static Held held(Lease lease, String owner) {
        return new Held("key", owner, lease.fencingToken());
    }

    static Free free(Lease lease) {
        return new Free("key", lease.fencingToken());
    }
}
