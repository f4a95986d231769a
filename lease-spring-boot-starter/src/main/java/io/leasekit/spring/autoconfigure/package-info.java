/** Auto-configuration of the DynamoDB client for leases, the store, the managers and the advice. */
@NullMarked
package io.leasekit.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
