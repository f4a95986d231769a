/** Leases for the methods of Spring beans. */
@NullMarked
package io.leasekit.spring;

import org.jspecify.annotations.NullMarked;
