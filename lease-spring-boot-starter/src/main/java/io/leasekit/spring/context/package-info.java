/**
 * Finds the innermost call under a lease, on one thread or carried between threads, and lets nested calls share a
 * lease.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
