/**
 * The advice that runs an annotated method under its lease.
 *
 * <p>Suggested order for reading:
 *
 * <ol>
 *   <li>{@code DistributedLeaseAdvisor} assembles the parts and runs the checks at start-up: {@code UnguardedBeans},
 *       {@code SelfCalls}, {@code ScheduleAdvice}.
 *   <li>{@code DistributedLeasePointcut} selects the methods to advise with {@code LeaseAnnotations}, and rejects those that
 *       cannot be advised: {@code UnguardableMethods}, {@code LeaseMethodRules}.
 *   <li>{@code DistributedLeaseAspect} is the advice: resolve the key, join or acquire, proceed, release.
 *   <li>{@code LeasePolicy} holds the evaluated annotations of one method. {@code LeasePolicyReader} reads it once, and
 *       {@code LeasePolicies} keeps it. {@code LeaseOnce} is its part about runs.
 *   <li>{@code CallResult} says how a method hands out its result. {@code StageCalls} and {@code ReactiveCalls} call methods
 *       whose work ends later. Both begin a call by {@code AsyncCalls} and end it by {@code AsyncCall}.
 *   <li>{@code LeasedCall} is one blocking call that has its lease. {@code CallsWithoutLease} handles the others, and
 *       {@code RunWaiters} waits for runs that have begun elsewhere.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
