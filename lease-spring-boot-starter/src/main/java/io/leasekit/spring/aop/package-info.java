/**
 * The advice that runs an annotated method under its lease.
 *
 * <p>{@code DistributedLeaseAdvisor} is the entry point. At start-up, the advisor runs the checks of the package
 * {@code check}. {@code DistributedLeasePointcut} finds the methods to advise. {@code DistributedLeaseAspect} is the
 * advice: it finds the {@code LeasePolicy} of a method, and {@code AnnotatedCalls} of the package {@code call} calls
 * the method.
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
