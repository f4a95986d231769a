/**
 * DynamoDB Local in a separate process, for the sample application and the integration tests.
 *
 * <p>Nothing here is published. The server keeps its data in memory, listens on the loopback interface only and sends
 * no telemetry. It does not reproduce the speed, limits or consistency of DynamoDB.
 */
@NullMarked
package io.leasekit.dynamodb.local;

import org.jspecify.annotations.NullMarked;
