/**
 * Leases behind the interfaces of Spring Integration: {@link io.leasekit.spring.integration.LeaseLockRegistry} for its
 * locks and leader initiators, and {@link io.leasekit.spring.integration.LeaderEvents} for its events of leaders. One jar
 * serves Spring Integration 6.5 and 7.x.
 */
@NullMarked
package io.leasekit.spring.integration;

import org.jspecify.annotations.NullMarked;
