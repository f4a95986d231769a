/**
 * The engine behind {@link io.leasekit.LeaseManager}. Only {@link io.leasekit.engine.EngineBuilder} is public, for the API and for
 * tests in virtual time. The steps of the protocol, which comments name by number, stand in the project's
 * {@code docs/protocol.md}.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code LeaseEngine} is the manager. Its constructor shows all parts and what each of them is given.
 *   <li>An acquire: {@code Acquisition} is one call and lists its states; {@code AcquireCall} is the part that its caller sees.
 *       {@code Queues} finds its {@code KeyQueue} ({@code Turns}), which says when it may ask the store. {@code Attempts} sends its
 *       writes and reads their replies. While another owner holds the lease, {@code Watch} knows what is in the way,
 *       {@code Polling} and {@code Contention} when to look again.
 *   <li>A lease: {@code LeaseState} lists its states, {@code Validity} answers whether it is valid, {@code HeldLease} is what
 *       the holder gets. {@code Renewer} renews it, woken by {@code WakeUps}, with others in {@code RenewalBatches}.
 *   <li>Its end: {@code Releases} gives it back, or {@code KeyQueue} hands it over to the next acquire of this process.
 *   <li>What decides: {@code LeaseRules}, one method for each decision on which safety rests; {@code Tenure}, the versions of
 *       one acquire and its lease; {@code BoundedClock}, DynamoDB's time, read anew by {@code ClockSync}; {@code SeenItems}, the
 *       memory of what the table showed.
 *   <li>The way out and back: {@code Requests}, and {@code MeasuredStore} around the store.
 *   <li>The way to people: {@code Reports}, {@code Events}, {@code Callers}; {@code Inspection} and {@code Revocation} serve
 *       operators. {@code Register} knows what has not ended and closes the manager.
 * </ol>
 *
 * <p>Each acquire and its lease have one {@code Mailbox}, each key's queue has another: their steps run one at a time on whichever
 * thread brings one, and no lock is held while a request is sent. A class whose constructor takes many parts, such as
 * {@code Attempts}, has an inner class for one acquire or lease, so that thousands of them stay small.
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
