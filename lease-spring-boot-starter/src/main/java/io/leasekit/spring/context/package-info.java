/**
 * The leases of nested calls, on one thread or carried between threads: finds the innermost call, and lets calls share
 * a lease.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
