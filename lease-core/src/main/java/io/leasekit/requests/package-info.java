/**
 * The way of a request to the table and back: turns, sending, replies, and DynamoDB's time. The content of a request is
 * decided in the engine, when its turn has come. Comments refer to the numbered protocol steps in
 * {@code docs/protocol.md}.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code RequestPath} makes all parts of the way.
 *   <li>{@code Requests} runs the step that makes a request when its turn has come at the {@code RequestLimiter}.
 *       {@code Sender} ({@code io.leasekit.threads}) sends it, on its own thread or that of a caller that blocks.
 *       {@code MeasuredStore} is around the store.
 *   <li>{@code Replies} awaits the reply. {@code TableState} notes its outcome, and {@code RetryBudget} limits retries.
 *   <li>Renewals wait for their turn in {@code Renewals} and go out with others from there, releases in
 *       {@code ReleaseBatches}. A {@code BatchBackoff} follows if the table denies batches.
 *   <li>Each reply is a sample of the {@code BoundedClock}. {@code ClockSync} reads a key if there is none.
 *   <li>{@code RequestRules} are the decisions; the engine's {@code LeaseRules} makes them.
 * </ol>
 */
@NullMarked
package io.leasekit.requests;

import org.jspecify.annotations.NullMarked;
