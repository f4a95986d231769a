/**
 * Leases in a DynamoDB table: the store, the table itself, and the check for transactions of the user's.
 *
 * <p>Only this package calls the AWS SDK.
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
