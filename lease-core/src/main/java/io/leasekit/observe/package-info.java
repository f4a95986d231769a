/**
 * Observes the leases of other owners. {@code Observer} remembers what replies showed about other owners' leases, and
 * asks the kernel's rules whether a lease has ended. {@code Polling} and {@code Contention} decide when a waiter or a
 * watch reads the item again. Waiters for leases, waiters for permits, watches and operator calls share one
 * {@code Observer} and one {@code Polling}. This package sends no requests, and no safety rule depends on the times
 * that it chooses.
 */
@NullMarked
package io.leasekit.observe;

import org.jspecify.annotations.NullMarked;
