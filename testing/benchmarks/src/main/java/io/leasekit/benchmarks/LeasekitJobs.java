package io.leasekit.benchmarks;

import io.leasekit.spring.DistributedLease;

/** A bean with annotated methods. */
class LeasekitJobs {

    @DistributedLease("job")
    public int literal() {
        return 1;
    }

    @DistributedLease("job-#{#id}")
    public int expression(String id) {
        return id.length();
    }
}
