/**
 * The leases of this process: {@code Tenure} has the writes of one acquire and its lease, and {@code Validity} the
 * validity that the replies confirm. This package sends nothing. The engine's rules make all decisions on which safety
 * depends.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
