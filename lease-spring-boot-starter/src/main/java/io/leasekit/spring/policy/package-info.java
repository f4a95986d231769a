/**
 * Reads and checks the annotation of each method once.
 *
 * <p>{@code LeasePolicies} holds a {@code LeasePolicy} for each annotated method. {@code LeaseAnnotations} finds the
 * annotations, and {@code LeasePolicyReader} reads them. {@code LeaseMethodRules} checks the method, and
 * {@code UnguardableMethods} rejects methods that no proxy can guard. In a policy, {@code LeaseOnce} assigns calls to
 * runs, {@code CallResult} describes the method's result, and {@code LeaseParameters} passes the lease and the progress
 * to the method. {@code ProgressReader} finds the codec that encodes the saved progress.
 */
@NullMarked
package io.leasekit.spring.policy;

import org.jspecify.annotations.NullMarked;
