/**
 * The calls of annotated methods under their leases.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code AnnotatedCalls} puts the parts together. By the kind of the result, it selects {@code BlockingCalls},
 *       {@code StageCalls} or {@code ReactiveCalls}. A {@code CallShell} is one of the last two. {@code StageCalls} calls
 *       methods on {@code CallThreads}, and {@code Coroutines} carries a call in the coroutine context.
 *   <li>{@code LeaseCalls} begins all of them: it joins a lease of an outer call, which {@code LeaseFrame} of the package
 *       {@code context} knows, or acquires one from the manager that {@code LeaseManagers} finds. Firings acquire by
 *       {@code FiringAcquires}, so that none begins from the close of the application on.
 *   <li>Without a lease, {@code CallsWithoutLease} decides what happens, and {@code SkippedCalls} counts. If a firing finds the
 *       lease of its run held, or has a slot and the table does not answer, {@code RunWaiters} adds a {@code RunWaiter} for it, which
 *       executes the run here unless it is done.
 *   <li>{@code LeaseCall} is a call that has its lease, from the method to the release. {@code InterruptOnLoss} interrupts a
 *       method. {@code CallSpans} observes and releases, and {@code SharedLease} of the package {@code context} counts the calls
 *       that share a lease.
 *   <li>Helpers: {@code RunOnce} runs a task exactly once, also if its executor rejects it. {@code Remembered} keeps a
 *       value of the bean factory, {@code MockedManager} recognizes a mock, and {@code LeaseBlockHoundIntegration} allows the
 *       short locks and the random bytes.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
