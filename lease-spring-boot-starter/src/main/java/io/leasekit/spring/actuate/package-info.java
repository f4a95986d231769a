/** The meters, the health check and the endpoint {@code leases}, which show the state of leases to operators. */
@NullMarked
package io.leasekit.spring.actuate;

import org.jspecify.annotations.NullMarked;
