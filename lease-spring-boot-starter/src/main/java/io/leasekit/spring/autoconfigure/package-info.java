/**
 * Auto-configuration of the DynamoDB client for leases, the lease store, the managers, and the advice around annotated
 * methods.
 */
@NullMarked
package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
