package io.leasekit.storm;

import io.leasekit.previous.PreviousVersion;

/**
 * The kind of one process of a storm.
 *
 * @param broken what is wrong with it
 * @param classPath its class path, which decides what version of the core it runs
 */
record NodePlan(Broken broken, String classPath) {

    /** Returns the plan of a process of this version. */
    static NodePlan of(Broken broken) {
        return new NodePlan(broken, PreviousVersion.presentClassPath());
    }
}
