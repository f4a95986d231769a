/** A page that shows the leases live, under the path of the actuator endpoint {@code leases}. */
@NullMarked
package io.leasekit.console;

import org.jspecify.annotations.NullMarked;
