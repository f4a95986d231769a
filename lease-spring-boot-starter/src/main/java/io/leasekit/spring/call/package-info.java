/**
 * Calls of annotated methods: each call gets a lease, runs the method, and leaves the lease.
 *
 * <p>{@code AnnotatedCalls} is the entry point, and {@code BlockingCalls} shows a whole call from top to bottom. A
 * firing is a call of a scheduled method by its scheduler.
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
