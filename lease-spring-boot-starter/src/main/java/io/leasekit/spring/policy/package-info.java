/**
 * Reads and checks the annotation of each method once. {@code LeasePolicies} holds a {@code LeasePolicy} for each
 * annotated method.
 */
@NullMarked
package io.leasekit.spring.policy;

import org.jspecify.annotations.NullMarked;
