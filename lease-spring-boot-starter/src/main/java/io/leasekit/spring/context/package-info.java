/** The leases of nested calls on one thread: which calls share a lease, and which call is the innermost. */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
