/**
 * The engine behind {@link io.leasekit.LeaseManager}. Only {@link io.leasekit.engine.EngineBuilder} is public, for the
 * API and for tests in virtual time. Comments refer to the numbered protocol steps in {@code docs/protocol.md}.
 *
 * <p>The engine decides what is sent and when; the package {@code io.leasekit.requests} sends it, awaits the reply, and
 * bounds DynamoDB's time. Each acquire shares one {@code Mailbox} ({@code io.leasekit.threads}) with its lease, and
 * each queue of a key has its own. The steps of a mailbox run one at a time, on a thread that adds one. No lock is held
 * while a request is sent. What all acquires and leases share is wired in {@code EngineParts}, which refers to neither
 * by type: each of them has one reference to it. A class that serves all leases has an inner class for one of them, so
 * that thousands stay small: {@code Polling.Pace}, {@code Renewer.Heartbeat}, {@code Releases.Release}.
 *
 * <p>Reading order:
 *
 * <ol>
 *   <li>{@code LeaseEngine} is the manager; its method {@code begin} starts an acquire. {@code LeaseSpec} is the
 *       request, completed by the {@code LeaseSettings}.
 *   <li>An acquire: {@code Acquisition} is one call and lists its states; {@code AcquireCall} is the part that its
 *       caller sees. {@code Queues} finds its {@code KeyQueue} ({@code QueuePolicy}), which decides when it may ask; a
 *       request with permits is a {@code PermitCall} in a {@code PermitQueue} of {@code Permits}, which looks at all
 *       slots ({@code PermitLooks}) and makes an acquire for one {@code PermitSlot} after the other.
 *       {@code AcquireLoop} asks the store, is refused, looks, waits and asks again. The {@code Observer} knows what is
 *       in its way; {@code Polling} and {@code Contention} ({@code io.leasekit.observe}) decide when to look again.
 *   <li>A lease: {@code LeaseState} lists its states and decides what is due, {@code Validity} tells whether it is
 *       valid, and {@code HeldLease} is the holder's handle. {@code RenewalSchedule} wakes it, and {@code Renewer}
 *       renews it, by way of {@code Renewals}.
 *   <li>Its end: {@code LeaseState} has {@code Releases} create a release, whose content is a {@code ReleaseDraft}, and
 *       passes it to its {@code KeyQueue}. This hands the lease over to the next acquire of this process, or has
 *       {@code Releases} send it, maybe after a {@code ReleaseDraft.Delay}.
 *   <li>Decisions: {@code LeaseRules} has all decisions on which safety rests, one method each. They decide by the
 *       {@code Tenure}, the versions of one acquire and its lease ({@code io.leasekit.tenure}), and by the
 *       {@code Observer}, the memory of what the table showed of others.
 *   <li>Output: {@code LeaseNotifier}, {@code Events} and {@code ResultDelivery}. {@code Inspection} and
 *       {@code Revocation} serve operators. {@code WatchedKeys} has a {@code KeyPoller} for each watched key, which looks for
 *       all its watches: each is a {@code ListeningWatch}, also that of a caller that waits until the key is free.
 *       {@code LiveLeases} are the acquires and leases that have not ended, and {@code Shutdown} closes the manager.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
