/**
 * The elections of leaders, which use the public API of leases. {@code Elections} has the open elections of one
 * manager, and {@code Term} is one term of leadership.
 */
@NullMarked
package io.leasekit.leader;

import org.jspecify.annotations.NullMarked;
