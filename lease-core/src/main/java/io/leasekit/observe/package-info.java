/**
 * The leases of other owners. {@code Observer} remembers what replies showed about these leases, and asks the engine's
 * rules whether a lease has ended. {@code Polling} and {@code Contention} choose the times of the next reads. Waiters,
 * permits, watches and operator calls share these objects. This package sends nothing, and no safety rule depends on
 * its choices.
 */
@NullMarked
package io.leasekit.observe;

import org.jspecify.annotations.NullMarked;
