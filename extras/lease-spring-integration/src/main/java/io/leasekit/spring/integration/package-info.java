/**
 * Spring Integration's interfaces, implemented with leases. {@link io.leasekit.spring.integration.LeaseLockRegistry}
 * serves locks and leader initiators. {@link io.leasekit.spring.integration.LeaderEvents} publishes leader events. The
 * same jar works with Spring Integration 6.5 and 7.x.
 */
@NullMarked
package io.leasekit.spring.integration;

import org.jspecify.annotations.NullMarked;
