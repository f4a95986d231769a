/**
 * DynamoDB Local as a process of its own, for the sample application and the integration tests.
 *
 * <p>Nothing here is published. The server keeps its data in memory, listens on the loopback interface only and
 * sends no telemetry. It is no model of DynamoDB's speed, limits or consistency.
 */
@NullMarked
package io.leasekit.dynamodb.local;

import org.jspecify.annotations.NullMarked;
