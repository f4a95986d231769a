/**
 * Auto-configuration of the DynamoDB client for leases, the lease store, the managers, and the advice that runs
 * annotated methods under leases.
 */
@NullMarked
package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
