/**
 * Reads the annotation of each method once, and checks it.
 *
 * <p>{@code LeasePolicies} holds a {@code LeasePolicy} for each annotated method. {@code LeasePolicyReader} reads the
 * policy, and {@code LeaseMethodRules} checks the method's signature. {@code LeaseOnce} is the part of the policy about
 * runs, {@code CallResult} describes how the method returns its result, and {@code LeaseParameters} passes the lease
 * and its progress to the method. {@code ProgressReader} finds the codec of the progress. {@code LeaseAnnotations}
 * finds the annotations, and {@code UnguardableMethods} rejects methods that no proxy can guard.
 */
@NullMarked
package io.leasekit.spring.policy;

import org.jspecify.annotations.NullMarked;
