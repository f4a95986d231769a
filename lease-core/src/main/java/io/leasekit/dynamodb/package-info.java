/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for transactions of users.
 *
 * <p>Only this package calls the AWS SDK.
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
