/** Limits the number of log lines; not for users. */
@NullMarked
package io.leasekit.log;

import org.jspecify.annotations.NullMarked;
