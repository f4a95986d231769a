/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for users' transactions.
 *
 * <p>Only this package calls the AWS SDK. Reading order: {@code DynamoDbLeaseStore}, {@code CheckedStore},
 * {@code Writes}, {@code Calls}, {@code ItemMapping}, {@code Failures}, {@code LeaseTable}, {@code LeaseFencing}.
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
