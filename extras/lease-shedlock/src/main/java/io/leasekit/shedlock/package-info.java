/** A lock provider for ShedLock whose locks are leases, and the auto-configuration of this provider. */
@NullMarked
package io.leasekit.shedlock;

import org.jspecify.annotations.NullMarked;
