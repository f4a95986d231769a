/**
 * Sends requests to the table: queues, batches, retries, replies, and bounds of DynamoDB's time. Numbers such as 5.1 in
 * comments are sections of {@code docs/protocol.md}.
 *
 * <p>Reading order: {@code RequestPath}, {@code RequestLimiter}, {@code Requests}, {@code Replies},
 * {@code BoundedClock}, {@code ClockSync}, {@code Gate}, {@code RequestRules}.
 */
@NullMarked
package io.leasekit.requests;

import org.jspecify.annotations.NullMarked;
