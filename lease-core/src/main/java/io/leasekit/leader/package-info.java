/**
 * The elections of leaders. Elections use the public API of leases, and {@code AcquireObstacle} to see why an acquire
 * is still waiting. {@code Elections} has the open elections of one manager, {@code Election} is one election, and
 * {@code Term} is the time from a grant to the return of the work.
 */
@NullMarked
package io.leasekit.leader;

import org.jspecify.annotations.NullMarked;
