/** Views for operators: meters, health and the endpoint {@code leases}. */
@NullMarked
package io.leasekit.spring.actuate;

import org.jspecify.annotations.NullMarked;
