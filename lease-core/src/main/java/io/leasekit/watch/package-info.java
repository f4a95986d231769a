/**
 * The watches of leases. {@code WatchedKeys} are those of one manager, and {@code KeyPoller} looks at one key for all its
 * watchers: each is a {@code ListeningWatch}, or a {@code FreeWait} until the key is free. The engine makes the {@code Looks};
 * {@code WatchOrder} is the order in which their results are shown.
 */
@NullMarked
package io.leasekit.watch;

import org.jspecify.annotations.NullMarked;
