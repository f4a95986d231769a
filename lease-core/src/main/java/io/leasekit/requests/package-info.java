/**
 * The path of a request to the table and of its reply back: queues, sending, replies, and DynamoDB's time. The engine
 * decides the content of a request only when the request may be sent. Numbers such as 5.1 in comments are sections of
 * {@code docs/protocol.md}.
 *
 * <p>Read the types in this order:
 *
 * <ol>
 *   <li>{@code RequestPath} creates all objects of the path.
 *   <li>As soon as the {@code RequestLimiter} permits a request, {@code Requests} runs the step that decides the
 *       content of this request. Until then, the request waits in the {@code Line} of its kind. Waiting renewals or releases are sent in batches, and {@code
 *       BatchBackoff} switches batches off while the table rejects them. {@code Sender} ({@code io.leasekit.threads})
 *       sends the request on a sender thread or on the thread of a blocking caller. {@code MeasuredStore} passes the
 *       request to the store, and records when requests last succeeded and failed.
 *   <li>{@code Replies} waits for the reply. {@code TableState} records the outcome, and {@code RetryBudget} limits
 *       retries.
 *   <li>{@code BoundedClock} computes bounds of DynamoDB's time from the dates of replies. If there is no recent reply,
 *       {@code ClockSync} reads an item. A {@code SharedRead}, for example of the pauses, is sent once for all callers
 *       that wait for it. Acquires ask a {@code Gate} whether they may be sent.
 *   <li>{@code RequestRules} declares the decisions about times and the order of requests; {@code LeaseRules} of the
 *       engine implements them.
 * </ol>
 */
@NullMarked
package io.leasekit.requests;

import org.jspecify.annotations.NullMarked;
