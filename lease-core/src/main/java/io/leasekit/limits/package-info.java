/** The limits of what users give: keys, durations, counts. Not for users: anything here may change in any release. */
@NullMarked
package io.leasekit.limits;

import org.jspecify.annotations.NullMarked;
