/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for users' transactions.
 *
 * <p>Only this package calls the AWS SDK. Reading order:
 *
 * <ol>
 *   <li>{@code DynamoDbLeaseStore} describes the item and sends the requests. {@code CheckedStore} wraps a
 *       {@code DynamoDbLeaseStore} and checks the table.
 *   <li>For requests: {@code Writes} contains the expressions for each command. {@code Write} is one write, as a
 *       request or as a part of a transaction. {@code Attributes} contains the names of attributes. {@code Expression}
 *       collects the names and values of a write. {@code Statement} is the expression for a write in a batch.
 *       {@code ItemReads} builds the requests of reads.
 *   <li>For replies: {@code Calls} sends requests. {@code ItemReplies}, {@code GroupReplies}, {@code BatchReplies} and
 *       {@code ItemReads} translate replies. {@code ItemMapping} translates items, and {@code Failures} translates
 *       errors. {@code SdkReplies} reads DynamoDB's time from a reply.
 *   <li>For other purposes: {@code Scans} lists leases. {@code LeaseTable}, with {@code TableSchema},
 *       {@code TableCalls} and {@code TableCheck}, creates and checks the table. {@code LeaseFencing} creates condition
 *       checks for users' transactions.
 * </ol>
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
