/** The advice that runs an annotated method under its lease. {@code DistributedLeaseAdvisor} is the entry point. */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
