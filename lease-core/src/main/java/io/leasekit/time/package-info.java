/** The clocks and timers of the engine, and the delays after failures; not for users. */
@NullMarked
package io.leasekit.time;

import org.jspecify.annotations.NullMarked;
