/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for users' transactions.
 *
 * <p>Only this package calls the AWS SDK. Read the types of the package in this order:
 *
 * <ol>
 *   <li>{@code DynamoDbLeaseStore} describes the item and sends the requests. {@code CheckedStore} wraps a
 *       {@code DynamoDbLeaseStore} and checks the table.
 *   <li>For requests: {@code Writes} contains the expressions for each command. {@code Write} is one write, as a
 *       request or as a part of a transaction. {@code Expression} collects the names ({@code Attributes}) and the
 *       values of a write; {@code Statement} collects them for a write in a batch. {@code ItemReads} contains the
 *       requests of reads, and the replies to reads of several items.
 *   <li>For replies: {@code Calls} sends the request. {@code ItemReplies}, {@code GroupReplies} and
 *       {@code BatchReplies} translate the reply, {@code ItemMapping} translates an item, {@code Failures} translates
 *       an error, and {@code SdkReplies} extracts DynamoDB's time from a reply.
 *   <li>For other purposes: {@code Scans} for lists; {@code LeaseTable} with {@code TableSchema}, {@code TableCalls}
 *       and {@code TableCheck} for the table; {@code LeaseFencing} for users' transactions.
 * </ol>
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
