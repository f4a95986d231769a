/**
 * Leases in a DynamoDB table: the store, the table, and condition checks for transactions of users.
 *
 * <p>Only this package calls the AWS SDK. Reading order:
 *
 * <ol>
 *   <li>{@code DynamoDbLeaseStore} describes the item and sends the requests; {@code CheckedStore} is around it.
 *   <li>A request: {@code Writes} has the expressions for each command. {@code Write} is one write, as a request or as
 *       a part of a transaction. {@code Expression} collects its names ({@code Attributes}) and values,
 *       {@code Statement} for a batch. {@code ItemReads} has the requests of reads, and the
 *       replies to reads of several items.
 *   <li>Its reply: {@code Calls} sends the request. {@code ItemReplies}, {@code GroupReplies} and {@code BatchReplies}
 *       translate the reply, {@code ItemMapping} its item, {@code Failures} an error, and {@code Replies} its time.
 *   <li>Besides: {@code Scans} for lists; {@code LeaseTable} with {@code TableSchema}, {@code TableCalls} and
 *       {@code TableCheck} for the table; {@code LeaseFencing} for transactions of users.
 * </ol>
 */
@NullMarked
package io.leasekit.dynamodb;

import org.jspecify.annotations.NullMarked;
