package io.leasekit.benchmarks;

import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

/** A bean with annotated methods; ShedLock takes none that return a primitive. */
class ShedLockJobs {

    @SchedulerLock(name = "job", lockAtMostFor = "1m")
    public void literal() {}

    @SchedulerLock(name = "job-#{#id}", lockAtMostFor = "1m")
    public void expression(String id) {}
}
