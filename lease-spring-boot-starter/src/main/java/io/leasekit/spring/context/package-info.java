/**
 * The calls that run under leases. Each thread knows its innermost call, and context propagation can carry this call to
 * other threads. A nested call can share the lease of an outer call.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
