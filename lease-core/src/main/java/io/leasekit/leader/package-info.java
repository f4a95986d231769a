/**
 * The elections of leaders. They use leases by the API, and ask their futures what they wait for: {@code Elections} are those of one manager, {@code Election}
 * is one of them, and {@code Term} is the time from a grant to the return of the work.
 */
@NullMarked
package io.leasekit.leader;

import org.jspecify.annotations.NullMarked;
