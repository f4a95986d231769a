/** The leases that a thread's calls run under: which calls share one, and which call is the innermost. */
@NullMarked
package io.leasekit.spring.context;

import org.jspecify.annotations.NullMarked;
