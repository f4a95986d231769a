/**
 * The clocks and timers of the engine, and the delays after failures. Not for users: anything in this package may
 * change in any release.
 */
@NullMarked
package io.leasekit.time;

import org.jspecify.annotations.NullMarked;
