/**
 * Sends requests to the table: queues, batches, retries, replies, and bounds of DynamoDB's time. The kernel decides the
 * content of a request only when the request may be sent. Numbers such as 5.1 in comments are sections of {@code
 * docs/protocol.md}.
 *
 * <p>Read the types in this order:
 *
 * <ol>
 *   <li>{@code RequestPath} creates the objects of this package for one manager.
 *   <li>As soon as the {@code RequestLimiter} permits a request, {@code Requests} runs the step that decides the
 *       content of this request. A {@code Line} contains the waiting requests of one kind. Waiting renewals or releases
 *       are sent in batches, and {@code BatchBackoff} switches batches off while the table rejects them. {@code Sender}
 *       ({@code io.leasekit.threads}) sends the request on a sender thread or on the thread of a blocking caller.
 *       {@code MeasuredStore} passes the request to the store, and records when requests last succeeded and failed.
 *   <li>{@code Replies} waits for the reply. {@code TableState} records the outcomes of requests, and {@code
 *       RetryBudget} limits retries.
 *   <li>{@code BoundedClock} computes bounds of DynamoDB's time from the dates of replies. {@code ClockSync} reads an
 *       item if no recent reply has shown DynamoDB's time. {@code SharedRead} sends one read for all callers that wait
 *       for its reply. An acquire asks a {@code Gate} whether it may be sent.
 *   <li>{@code RequestRules} declares the decisions about times and the order of requests; {@code LeaseRules} of the
 *       kernel implements them.
 * </ol>
 */
@NullMarked
package io.leasekit.requests;

import org.jspecify.annotations.NullMarked;
