/**
 * The calls of annotated methods under their leases.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code AnnotatedCalls} puts the parts together, and selects {@code BlockingCalls}, {@code StageCalls} or
 *       {@code ReactiveCalls}, which call the methods, each kind of result in its way.
 *   <li>{@code LeaseCalls} begins all of them: it joins a lease of an outer call, which {@code LeaseFrame} of the package
 *       {@code context} knows, acquires one from the manager that {@code LeaseManagers} finds, or decides what happens without
 *       one by {@code CallsWithoutLease}. {@code RunWaiters} waits for runs that have begun elsewhere.
 *   <li>{@code LeaseCall} is a call that has its lease, from the method to the release. {@code CallSpans} observes and releases,
 *       and {@code SharedLease} of the package {@code context} counts the calls that share a lease. {@code CallObservations}
 *       keeps failures of observation handlers from both.
 * </ol>
 */
@NullMarked
package io.leasekit.spring.call;

import org.jspecify.annotations.NullMarked;
