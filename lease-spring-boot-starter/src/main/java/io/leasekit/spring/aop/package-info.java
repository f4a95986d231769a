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
 *   <li>{@code DistributedLeaseAspect} is the advice. {@code BlockingCalls}, {@code StageCalls} and {@code ReactiveCalls} call
 *       the methods, each kind of result in its way; {@code CallResult} says which.
 *   <li>{@code LeasePolicy} holds the evaluated annotations of one method. {@code LeasePolicyReader} reads it once, and
 *       {@code LeasePolicies} keeps it. {@code LeaseOnce} is its part about runs.
 *   <li>{@code AsyncCalls} begins all of them: it joins a lease of an outer call, which {@code LeaseFrame} of the package
 *       {@code context} knows, acquires one from the manager that {@code LeaseManagers} finds, or decides what happens without
 *       one by {@code CallsWithoutLease}. {@code RunWaiters} waits for runs that have begun elsewhere.
 *   <li>{@code AsyncCall} is a call that has its lease, from the method to the release. {@code CallSpans} observes and releases,
 *       and {@code LeaseHold} of the package {@code context} counts the calls that share a lease. {@code CallObservations}
 *       keeps failures of observation handlers from both.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
