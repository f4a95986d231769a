/**
 * Time for the engine: the interface that the engine uses, its implementation with the system's clocks, the timers, and
 * the delays after failures. Not for users: anything in this package may change in any release.
 */
@NullMarked
package io.leasekit.time;

import org.jspecify.annotations.NullMarked;
