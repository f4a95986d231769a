/**
 * The advice that calls an annotated method under its lease.
 *
 * <p>Read it in this order:
 *
 * <ol>
 *   <li>{@code DistributedLeaseAdvisor} puts the parts together, and checks at start-up what it can: {@code UnguardedBeans},
 *       {@code SelfCalls}, {@code ScheduleAdvice}.
 *   <li>{@code DistributedLeasePointcut} tells which methods are advised, by {@code LeaseAnnotations}, and refuses those that
 *       cannot be: {@code UnguardableMethods}, {@code LeaseMethodRules}.
 *   <li>{@code DistributedLeaseAspect} is the advice: resolve the key, join or acquire, proceed, release.
 *   <li>{@code LeasePolicy} is what the annotations of one method say, read once by {@code LeasePolicyReader} and kept by
 *       {@code LeasePolicies}; {@code LeaseOnce} is its part about runs.
 *   <li>{@code LeasedCall} is one call that has its lease, from its begin to its end; {@code CallsWithoutLease} answers the
 *       others, and {@code RunWaiters} waits for runs that have begun elsewhere.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
