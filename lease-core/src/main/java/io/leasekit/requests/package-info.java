/**
 * The path of a request to the table and of its reply back: queues, sending, replies, and DynamoDB's time. The engine
 * decides the content of a request only when permission to send it is given. Comments refer to the numbered steps in
 * {@code docs/protocol.md}.
 *
 * <p>Read the types in this order:
 *
 * <ol>
 *   <li>{@code RequestPath} creates all objects of the path.
 *   <li>{@code Requests} runs the step that creates a request once the {@code RequestLimiter} permits it. Until then,
 *       the request waits in the {@code Line} of its kind. Waiting renewals or releases are sent in batches, and {@code
 *       BatchBackoff} stops batches while the table denies them.
 *       {@code Sender} ({@code io.leasekit.threads}) sends the request on a sender thread or on the thread of a
 *       blocking caller. {@code MeasuredStore} wraps the store.
 *   <li>{@code Replies} waits for the reply. {@code TableState} records the outcome, and {@code RetryBudget} limits
 *       retries.
 *   <li>Each reply is a sample of the {@code BoundedClock}. {@code ClockSync} reads a key if there is no recent sample.
 *       {@code SharedRead} sends one such read for all that wait. Acquires ask a {@code Gate} whether they may be sent.
 *   <li>{@code RequestRules} are the decisions, which {@code LeaseRules} of the engine implements.
 * </ol>
 */
@NullMarked
package io.leasekit.requests;

import org.jspecify.annotations.NullMarked;
