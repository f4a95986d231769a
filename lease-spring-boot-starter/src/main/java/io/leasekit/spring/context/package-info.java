/**
 * The annotated calls that currently run under leases. A thread-local variable contains a thread's innermost call under
 * a lease. Context propagation can carry the call to other threads. A nested call can share the lease of an outer call.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
