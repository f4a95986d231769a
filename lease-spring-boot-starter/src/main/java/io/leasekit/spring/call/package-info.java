/**
 * The calls of annotated methods under their leases.
 *
 * <p>The classes, from the entry point to the helpers:
 *
 * <ol>
 *   <li>{@code AnnotatedCalls} is the entry point. Depending on the return type, it selects {@code BlockingCalls},
 *       {@code StageCalls} or {@code ReactiveCalls}.
 *   <li>{@code BlockingCalls} shows a whole call from top to bottom: it joins or acquires a lease, calls the method,
 *       records the outcome, and leaves the lease.
 *   <li>{@code CallStart} makes the decisions of all calls before they have their lease. A call joins the lease of an
 *       outer call, which {@code LeaseFrame} of the package {@code context} finds, or acquires a lease from the manager
 *       that {@code LeaseManagers} finds. {@code CallsWithoutLease} handles refusals, and {@code SkippedCalls} counts
 *       them. {@code LeaseCalls} has the objects that all calls share.
 *   <li>{@code LeaseCall} is a call that has its lease: it calls the method and records the outcome.
 *       {@code InterruptOnLoss} interrupts a method. {@code SharedLease} of the package {@code context} counts the calls
 *       that share a lease, and {@code CallRelease} releases it after the last one. {@code CallSpans} observes all this.
 *   <li>{@code AsyncCall} takes the same steps without blocking a thread, for {@code StageCalls} and
 *       {@code ReactiveCalls}, which implement {@code CallShell}. {@code StageCalls} calls methods on
 *       {@code CallThreads}, {@code GuardedPublisher} wraps a user's publisher, and {@code Coroutines} carries a call in
 *       the coroutine context.
 *   <li>Firings acquire leases through {@code FiringAcquires}, so that no firing begins while the application closes. A
 *       firing may find that another node holds the lease of its run, or that the table does not answer for its slot. In
 *       both cases, {@code RunWaiters} adds a {@code RunWaiter}. After the wait, this waiter executes the run on this
 *       node, unless the run is done.
 *   <li>Helpers: {@code RunOnce} runs a task exactly once, even if its executor rejects it. {@code Remembered} caches a
 *       value of the bean factory. {@code LeaseBlockHoundIntegration} makes BlockHound permit short locks and reads of
 *       random bytes.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
