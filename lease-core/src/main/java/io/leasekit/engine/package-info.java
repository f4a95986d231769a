/**
 * The engine behind {@link io.leasekit.LeaseManager}. Only {@link io.leasekit.engine.EngineBuilder} is public, for the
 * API and for tests in virtual time. Comments refer to the numbered protocol steps in {@code docs/protocol.md}.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code LeaseEngine} is the manager. Its constructor creates all parts.
 *   <li>An acquire: {@code Acquisition} is one call and lists its states; {@code AcquireCall} is the part that its
 *       caller sees. {@code Queues} finds its {@code KeyQueue} ({@code Turns}, {@code WaitingCallers}), which decides
 *       when it may ask.
 *       {@code Attempts} sends its writes and reads their replies. While another owner holds the lease, {@code Watch}
 *       tracks the blocking items, and {@code Polling} and {@code Contention} decide when to look again.
 *   <li>A lease: {@code LeaseState} (a {@code ReportedLease}) lists its states, {@code Validity} tells whether it is
 *       valid, and {@code HeldLease} is the holder's handle. {@code Renewer} renews it, woken by {@code WakeUps}, together with others in
 *       {@code RenewalBatches}.
 *   <li>Its end: {@code Releases} gives it back as its {@code ReleaseDraft} says, maybe after a {@code ReleaseDelay},
 *       or {@code KeyQueue} hands it over to the next acquire of this process.
 *   <li>Decisions: {@code LeaseRules}, one method for each decision on which safety rests; {@code Tenure}, the versions
 *       of one acquire and its lease; {@code BoundedClock}, DynamoDB's time, which {@code ClockSync} reads again if
 *       necessary; {@code SeenItems}, the memory of what the table showed.
 *   <li>Requests: {@code Requests}, and {@code MeasuredStore} around the store.
 *   <li>Output: {@code Reports}, {@code Events} and {@code Callers}. {@code Inspection} and {@code Revocation} serve
 *       operators. {@code Register} holds what has not ended, and closes the manager.
 * </ol>
 *
 * <p>Each acquire shares one {@code Mailbox} with its lease, and each {@code KeyQueue} has its own. The steps of a
 * mailbox run one at a time, on a thread that adds one. No lock is held while a request is sent. A class with many
 * constructor parameters, such as {@code Attempts}, has an inner class for one acquire or lease, so that thousands of
 * them stay small.
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
