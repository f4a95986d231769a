/**
 * The innermost call under a lease: found on its thread, carried to other threads, and joined by nested calls, which
 * share its lease.
 */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
