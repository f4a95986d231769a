/** Leases in DynamoDB. */
@NullMarked
package io.leasekit;

import org.jspecify.annotations.NullMarked;
