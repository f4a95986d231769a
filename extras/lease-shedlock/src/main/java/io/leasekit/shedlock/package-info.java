/** A provider of ShedLock's locks as leases, and its auto-configuration. */
@NullMarked
package io.leasekit.shedlock;

import org.jspecify.annotations.NullMarked;
