/**
 * The elections of leaders. Elections use the public API of leases, and the futures of pending acquires.
 * {@code Elections} has the open elections of one manager, {@code Election} is one election, and {@code Term} is the
 * time from a grant to the return of the work.
 */
@NullMarked
package io.leasekit.leader;

import org.jspecify.annotations.NullMarked;
