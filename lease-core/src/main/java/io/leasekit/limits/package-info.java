/**
 * The limits of users' settings: keys, durations, counts. Not for users: anything in this package may change in any
 * release.
 */
@NullMarked
package io.leasekit.limits;

import org.jspecify.annotations.NullMarked;
