/** Limits the number of log lines. Not for users: anything in this package may change in any release. */
@NullMarked
package io.leasekit.log;

import org.jspecify.annotations.NullMarked;
