/**
 * The advice that runs an annotated method under its lease.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code DistributedLeaseAdvisor} assembles the parts and runs the checks at start-up: {@code UnguardedBeans},
 *       {@code SelfCalls}, {@code ScheduleAdvice}.
 *   <li>{@code DistributedLeasePointcut} finds the methods to advise by {@code LeaseAnnotations}. It rejects those that
 *       cannot be advised: {@code UnguardableMethods}, {@code LeaseMethodRules}. {@code AnnotatedBeans} rejects annotations
 *       that would have no effect, because Spring calls the bean itself.
 *   <li>{@code DistributedLeaseAspect} is the advice: resolve the key, join or acquire, proceed, release.
 *       {@code LeaseManagers} finds the manager. {@code LeaseFrame} of the package {@code context} knows the outer calls.
 *   <li>{@code LeasePolicy} holds the evaluated annotations of one method. {@code LeasePolicyReader} reads it once, and
 *       {@code LeasePolicies} keeps it. {@code LeaseOnce} is its part about runs.
 *   <li>{@code CallResult} says how a method hands out its result. {@code StageCalls} and {@code ReactiveCalls} call methods
 *       whose work ends later. Both begin a call by {@code AsyncCalls} and end it by {@code AsyncCall}.
 *   <li>{@code LeasedCall} is one blocking call that has its lease. {@code CallSpans} acquires and releases the lease,
 *       and {@code LeaseHold} of the package {@code context} counts the calls that share it. {@code CallObservations}
 *       keeps failures of observation handlers from both. {@code CallsWithoutLease} handles the other calls, and
 *       {@code RunWaiters} waits for runs that have begun elsewhere.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
