/**
 * Time for the engine: the interface that the engine reads, the implementation with the system's clocks, timers and
 * backoff. Not for users: anything here may change in any release.
 */
@NullMarked
package io.leasekit.time;

import org.jspecify.annotations.NullMarked;
