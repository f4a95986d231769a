/** The leases of nested calls, on one thread or carried between threads: which calls share a lease, and which is innermost. */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
