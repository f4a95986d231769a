/**
 * The leases of this process. {@code Tenure} records the writes of one acquire call and of the lease that the call
 * gets. {@code Validity} is the validity of the lease, as replies confirm it. This package sends no requests. The
 * engine's rules make all decisions on which safety depends.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
