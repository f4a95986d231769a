/**
 * The calls of annotated methods under their leases.
 *
 * <p>The classes, from the entry point to the helpers:
 *
 * <ol>
 *   <li>{@code AnnotatedCalls} is the entry point. Depending on the return type, {@code AnnotatedCalls} selects
 *       {@code BlockingCalls}, {@code StageCalls} or {@code ReactiveCalls}. {@code StageCalls} and
 *       {@code ReactiveCalls} implement {@code CallShell}. {@code StageCalls} calls methods on {@code CallThreads}, and
 *       {@code Coroutines} carries a call in the coroutine context.
 *   <li>{@code LeaseCalls} begins all calls. A call joins the lease of an outer call, which {@code LeaseFrame} of the
 *       package {@code context} finds, or acquires a lease from the manager that {@code LeaseManagers} finds. Firings
 *       acquire leases through {@code FiringAcquires}, so that no firing begins while the application closes.
 *   <li>{@code CallsWithoutLease} handles calls that got no lease, and {@code SkippedCalls} counts them. A firing may
 *       find that another node holds the lease of its run, or that the table does not answer for its slot. In both
 *       cases, {@code RunWaiters} adds a {@code RunWaiter}. After the wait, this waiter executes the run on this node,
 *       unless the run is done.
 *   <li>{@code LeaseCall} is a call that has its lease, from the method to the release. {@code InterruptOnLoss}
 *       interrupts a method. {@code CallSpans} observes the call and releases the lease, and {@code SharedLease} of the
 *       package {@code context} counts the calls that share a lease.
 *   <li>Helpers: {@code RunOnce} runs a task exactly once, even if its executor rejects it. {@code Remembered} caches a
 *       value of the bean factory. {@code MockedManager} detects a mock. {@code LeaseBlockHoundIntegration} makes
 *       BlockHound permit short locks and reads of random bytes.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
