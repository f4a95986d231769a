/** Leases in the memory of one process, for tests of what uses them. */
@NullMarked
package io.leasekit.memory;

import org.jspecify.annotations.NullMarked;
