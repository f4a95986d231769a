/**
 * The calls that run under leases. A thread-local variable contains the innermost call of a thread, and context
 * propagation can carry this call to other threads. A nested call can share the lease of an outer call.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
