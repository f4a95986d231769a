/**
 * Observes the leases of other owners. {@code Observer} remembers what replies showed, and {@code Polling} and {@code
 * Contention} decide when a waiter or a watch reads again. This package sends no requests, and no safety rule depends
 * on the times that it chooses.
 */
@NullMarked
package io.leasekit.observe;

import org.jspecify.annotations.NullMarked;
