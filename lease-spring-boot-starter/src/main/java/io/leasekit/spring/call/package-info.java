/**
 * The calls of annotated methods. Each call gets a lease, runs the method, and leaves the lease. The last call that
 * uses a lease releases it.
 *
 * <p>The package's classes, from the entry point to the helpers:
 *
 * <ol>
 *   <li>{@code AnnotatedCalls} is the entry point. Depending on the method's return type, {@code AnnotatedCalls}
 *       selects {@code BlockingCalls}, {@code StageCalls} or {@code ReactiveCalls}.
 *   <li>{@code BlockingCalls} shows a whole call from top to bottom: it joins or acquires a lease, calls the method,
 *       records the outcome, and leaves the lease.
 *   <li>{@code CallStart} is the first part of a call, until the call has its lease. If {@code LeaseFrame} of the
 *       package {@code context} finds an outer call whose lease covers the keys, the call joins that lease. A call that
 *       joins no lease acquires one from the manager that {@code LeaseManagers} finds. If the lease is refused,
 *       {@code CallsWithoutLease} decides what the caller gets, and {@code SkippedCalls} counts the call.
 *       {@code LeaseCalls} holds the objects that all calls share.
 *   <li>{@code LeaseCall} is a call with its lease; it calls the method and records the outcome. If the lease is lost
 *       and {@code onLost} is {@code INTERRUPT}, {@code InterruptOnLoss} interrupts the thread that runs the method.
 *       {@code SharedLease} of the package {@code context} counts the calls that share a lease, and {@code CallRelease}
 *       releases the lease after the last call. {@code CallSpans} creates Micrometer observations of the acquire, the
 *       work and the release.
 *   <li>{@code AsyncCall} does the steps of {@code BlockingCalls} without blocking a thread. {@code StageCalls} and
 *       {@code ReactiveCalls} use {@code AsyncCall}, and implement {@code CallShell}. {@code CallThreads} provides the
 *       threads on which {@code StageCalls} calls methods. {@code GuardedPublisher} wraps a user's publisher.
 *       {@code Coroutines} puts the frame of a call into the context of a coroutine.
 *   <li>A firing is a call of a scheduled method by its scheduler. Firings acquire leases through
 *       {@code FiringAcquires}, which lets no firing begin while the application closes. If a firing gets no lease for
 *       a run that must be recorded, {@code RunWaiters} adds a {@code RunWaiter}. A {@code RunWaiter} waits for the
 *       lease and executes the run on this node, unless the run is already done.
 *   <li>Helpers: {@code RunOnce} runs a task exactly once, even if its executor rejects it. {@code Remembered} caches a
 *       value from the bean factory. {@code LeaseBlockHoundIntegration} makes BlockHound permit short locks and reads
 *       of random bytes.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
