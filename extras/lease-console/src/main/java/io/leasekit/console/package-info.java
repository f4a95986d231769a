/** A web page that shows the current leases, under the path of the actuator endpoint {@code leases}. */
@NullMarked
package io.leasekit.console;

import org.jspecify.annotations.NullMarked;
