/** The limits of users' settings: keys, durations, counts; not for users. */
@NullMarked
package io.leasekit.limits;

import org.jspecify.annotations.NullMarked;
