/**
 * The advice that calls an annotated method under its lease.
 *
 * <p>Read it in this order. {@code DistributedLeaseAdvisor} puts all parts together and checks them at start-up.
 * {@code DistributedLeasePointcut} tells which methods are advised, by {@code LeaseAnnotations}. {@code DistributedLeaseAspect}
 * is the advice: resolve the key, join or acquire, proceed, release. {@code LeasePolicy} is what an annotation says, read once
 * by {@code LeasePolicyReader}. {@code LeasedCall} is one call from its begin to its end. The rest serves one of these.
 */
@NullMarked
package io.leasekit.spring.aop;

import org.jspecify.annotations.NullMarked;
