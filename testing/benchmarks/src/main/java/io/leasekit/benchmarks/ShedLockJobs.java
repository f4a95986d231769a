package io.leasekit.benchmarks;

import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

/** A bean with annotated methods. They are void, because ShedLock rejects other primitive return types. */
class ShedLockJobs {

    @SchedulerLock(name = "job", lockAtMostFor = "1m")
    public void literal() {}

    @SchedulerLock(name = "job-#{#id}", lockAtMostFor = "1m")
    public void expression(String id) {}
}
