/** The annotated calls that currently run under leases. A nested call can share the lease of an outer call. */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
