/**
 * The engine behind {@link io.leasekit.LeaseManager}. Only {@link io.leasekit.engine.EngineBuilder} is public, for the
 * API and for tests in virtual time. Comments refer to the numbered protocol steps in {@code docs/protocol.md}.
 *
 * <p>The engine decides which requests are sent, and when. The package {@code io.leasekit.requests} sends them, awaits
 * the replies, and bounds DynamoDB's time. No lock is held while a request is sent.
 *
 * <p>Each acquire shares one {@code Mailbox} ({@code io.leasekit.threads}) with its lease, and each queue of a key has
 * its own mailbox. The steps of a mailbox run one at a time, on a thread that adds a step. {@code EngineParts} wires
 * the parts that all acquires and leases share; each acquire and lease has one reference to it. There may be thousands
 * of leases, so the state of a single lease is small: its class is an inner class of the class that serves all leases,
 * such as {@code Polling.Pace}, {@code Renewer.Heartbeat} and {@code Releases.Release}.
 *
 * <p>The classes, in an order in which to read them:
 *
 * <ol>
 *   <li>Manager: {@code LeaseEngine} is the manager; its method {@code begin} starts an acquire. {@code LeaseSpec} is
 *       the request, completed with the {@code LeaseSettings}.
 *   <li>Acquire: {@code Acquisition} is one call and lists its states; {@code AcquireCall} is the part that the caller
 *       sees. {@code Queues} finds the {@code KeyQueue} (a {@code QueuePolicy}), which decides when the acquire may
 *       send requests. {@code AcquireLoop} sends attempts; if an attempt is refused, it reads, waits and tries again.
 *       Its superclass {@code SeenItems} has the items as this acquire has seen them; {@code Observer} stores what
 *       replies have shown to all acquires. {@code Polling} and {@code Contention} ({@code io.leasekit.observe}) decide
 *       when to read again.
 *   <li>Permits: a request with permits is a {@code PermitCall} in a {@code PermitQueue} of {@code Permits}. The queue
 *       reads all permits, remembers what a read has shown ({@code PermitsSeen}), and creates an acquire for one permit
 *       after the other.
 *   <li>Lease: {@code LeaseState} lists the states and decides what is due. {@code Validity} decides whether the lease
 *       is valid. {@code HeldLease} is the lease as the holder sees it. {@code RenewalSchedule} wakes the lease; {@code
 *       Renewer} creates its renewals, and {@code Renewals} sends them.
 *   <li>Release: {@code LeaseState} lets {@code Releases} create a release, whose content is a {@code ReleaseDraft},
 *       and passes it to the {@code KeyQueue}. The queue hands the lease over to the next acquire of this process, or
 *       lets {@code Releases} send the release, possibly after a {@code ReleaseDraft.Delay}.
 *   <li>Decisions: {@code LeaseRules} has all decisions on which safety depends, one method for each decision. The
 *       decisions use the {@code Observer} and the {@code Tenure}, which has the versions of one acquire and its lease
 *       ({@code io.leasekit.tenure}).
 *   <li>Output: {@code LeaseNotifier}, {@code Events} and {@code ResultDelivery}.
 *   <li>Operators: {@code Inspection} and {@code Revocation}.
 *   <li>Watches: {@code WatchedKeys} has a {@code KeyPoller} for each watched key. The poller reads the key. A {@code
 *       ListeningWatch} belongs to a listener, or to a caller that waits until the key is free.
 *   <li>Close: {@code LiveLeases} has the acquires and leases that have not ended; {@code Shutdown} closes the manager.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
