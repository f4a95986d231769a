/**
 * The leases of this process. {@code Tenure} records the writes of one acquire call and of the lease that the call
 * gets. {@code Validity} knows until when the lease is valid, according to the replies so far. This package sends no
 * requests. The package of the engine makes all decisions on which safety depends.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
