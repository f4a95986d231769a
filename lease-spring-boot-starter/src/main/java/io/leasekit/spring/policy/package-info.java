/**
 * The annotation, read once: {@code LeasePolicies} keeps a {@code LeasePolicy} for each annotated method, which
 * {@code LeasePolicyReader} reads and {@code LeaseMethodRules} checks. {@code LeaseOnce} is its part about runs,
 * {@code CallResult} says how the method hands out its result, and {@code LeaseParameters} gives it its
 * lease and its progress, whose codec {@code ProgressReader} finds.
 * {@code LeaseAnnotations} finds the annotations, {@code UnguardableMethods} refuses those that no proxy can guard.
 */
@NullMarked
package io.leasekit.spring.policy;

import org.jspecify.annotations.NullMarked;
