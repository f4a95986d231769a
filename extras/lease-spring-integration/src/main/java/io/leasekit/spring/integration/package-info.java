/**
 * Implementations of Spring Integration's interfaces that are based on leases.
 * {@link io.leasekit.spring.integration.LeaseLockRegistry} provides locks, also for Spring Integration's
 * {@code LockRegistryLeaderInitiator}. {@link io.leasekit.spring.integration.LeaderEvents} publishes leader events. The
 * same jar works with Spring Integration 6.5 and 7.x.
 */
@NullMarked
package io.leasekit.spring.integration;

import org.jspecify.annotations.NullMarked;
