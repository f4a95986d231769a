/**
 * The leases of other owners: the {@code Observer} knows what the table showed of them and asks the engine's rules
 * whether one has ended; {@code Polling} and {@code Contention} set the times of the next looks. Waiters, permits, watches
 * and operators use the same ones. This package sends nothing and decides nothing on which safety rests.
 */
@NullMarked
package io.leasekit.observe;

import org.jspecify.annotations.NullMarked;
