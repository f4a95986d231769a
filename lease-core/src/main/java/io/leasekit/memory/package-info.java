/** Leases in the memory of one process, for tests of code that uses leases. */
@NullMarked
package io.leasekit.memory;

import org.jspecify.annotations.NullMarked;
