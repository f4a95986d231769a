/** The limits of keys, durations and counts; not for users. */
@NullMarked
package io.leasekit.limits;

import org.jspecify.annotations.NullMarked;
