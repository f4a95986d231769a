/**
 * The leases of this process. {@code Tenure} records the writes of one acquire call and of the lease that the call
 * gets. {@code Validity} knows until when the lease is valid, according to the replies so far. This package sends no
 * requests. The kernel's {@code LeaseRules} makes all decisions that affect safety.
 */
@NullMarked
package io.leasekit.tenure;

import org.jspecify.annotations.NullMarked;
