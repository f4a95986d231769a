/** Meters, the health check and the endpoint {@code leases}, for operators. */
@NullMarked
package io.leasekit.spring.actuate;

import org.jspecify.annotations.NullMarked;
