/**
 * The leases of this process. {@code Tenure} records the writes of one acquire call, and {@code Validity} knows the end
 * of the lease. The kernel's {@code LeaseRules} makes all decisions that affect safety.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
