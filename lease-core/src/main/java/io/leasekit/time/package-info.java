/**
 * Time for the engine: the port that the engine reads, the system's clocks behind it, timers and backoff. Not for
 * users: anything here may change in any release.
 */
@NullMarked
package io.leasekit.time;

import org.jspecify.annotations.NullMarked;
