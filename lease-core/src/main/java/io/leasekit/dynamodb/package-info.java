/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for users' transactions.
 *
 * <p>Only this package calls the AWS SDK. Read its types in this order:
 *
 * <ol>
 *   <li>{@code DynamoDbLeaseStore} describes the item and sends the requests. {@code CheckedStore} wraps it.
 *   <li>A request: {@code Writes} has the expressions for each command. {@code Write} is one write, as a request or as
 *       a part of a transaction. {@code Expression} collects the names ({@code Attributes}) and values of a write;
 *       {@code Statement} does so for a write in a batch. {@code ItemReads} has the requests of reads, and the replies
 *       to reads of several items.
 *   <li>A reply: {@code Calls} sends the request. {@code ItemReplies}, {@code GroupReplies} and {@code BatchReplies}
 *       translate the reply, {@code ItemMapping} an item, {@code Failures} an error, and {@code Replies} the time.
 *   <li>The rest: {@code Scans} for lists; {@code LeaseTable} with {@code TableSchema}, {@code TableCalls} and
 *       {@code TableCheck} for the table; {@code LeaseFencing} for users' transactions.
 * </ol>
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
