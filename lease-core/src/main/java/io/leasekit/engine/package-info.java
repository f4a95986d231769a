/**
 * The engine behind {@link io.leasekit.LeaseManager}. The only public class is {@link
 * io.leasekit.engine.EngineBuilder}, which is used by the API and by tests with a virtual clock. Numbers such as 5.1 in
 * comments are sections of {@code docs/protocol.md}.
 *
 * <p>The engine decides which requests are sent, and when. The package {@code io.leasekit.requests} sends these
 * requests, waits for the replies, and computes bounds of DynamoDB's time from them. No thread holds a lock while it
 * sends a request.
 *
 * <p>A {@code Mailbox} ({@code io.leasekit.threads}) runs steps one at a time. Any thread can add a step. If the
 * mailbox is idle, this thread runs the step; if the mailbox is busy, the thread that is running its steps does. An
 * acquire and its lease share one mailbox; each queue of a key has its own mailbox. {@code EngineParts} creates the
 * parts that all acquires and leases share; each acquire and each lease has a reference to {@code EngineParts}. There
 * may be thousands of leases, so the object for a single lease is kept small: it is of an inner class, for example
 * {@code Heartbeat} in {@code Renewer}, and uses the fields of the outer object, which serves all leases.
 *
 * <p>The classes, in a useful order for reading:
 *
 * <ol>
 *   <li>Manager: {@code LeaseEngine} implements the manager; its method {@code begin} starts an acquire. {@code
 *       LeaseSpec} contains the values of a request; values that the request does not set come from {@code
 *       LeaseSettings}.
 *   <li>Acquire: {@code Acquisition} is one acquire, and its comment lists the states; its superclass {@code
 *       AcquireCall} contains the data for the caller. {@code Queues} returns the {@code KeyQueue} (a {@code
 *       LocalQueue}) of the key, which decides when the acquire may send requests. {@code AcquireLoop} sends the
 *       requests of an acquire: if DynamoDB refuses an attempt, the loop reads the item, waits and tries again. {@code
 *       SeenItems}, the superclass of {@code AcquireLoop}, stores the items that replies have shown to this acquire;
 *       {@code Observer} stores what replies have shown to all acquires. {@code Polling} and {@code Contention} ({@code
 *       io.leasekit.observe}) decide when an acquire reads the item again.
 *   <li>Permits: a request for a permit is a {@code PermitCall}, which waits in a {@code PermitQueue}; {@code Permits}
 *       contains these queues. The queue reads the items of all permits of a key, stores the result ({@code
 *       PermitsSeen}), and tries to acquire one permit after another until DynamoDB grants one.
 *   <li>Lease: {@code LeaseState} lists the states of a lease, and decides when a renewal, a warning or a stop is due.
 *       {@code Validity} decides whether the lease is valid. {@code HeldLease} is the lease as the holder sees it.
 *       {@code RenewalSchedule} wakes the lease; {@code Renewer} creates its renewals, and {@code Requests} sends them.
 *   <li>Release: {@code LeaseState} lets {@code Releases} create a {@code Release} and passes it to the {@code
 *       KeyQueue}. The queue hands the lease over to the next acquire of this process, or lets {@code Releases} send
 *       the release, possibly after a {@code Release.Delay}.
 *   <li>Decisions: {@code LeaseRules} has all decisions on which safety depends, one method for each decision. The
 *       decisions use the {@code Observer} and the {@code Tenure} ({@code io.leasekit.tenure}), which stores the
 *       versions that one acquire and its lease have written.
 *   <li>Output: {@code LeaseNotifier} and {@code Events} call listeners and monitors; {@code ResultDelivery} passes
 *       results to callers.
 *   <li>Operators: {@code Inspection} reads leases, and {@code Revocation} releases a lease by force.
 *   <li>Watches: {@code WatchedKeys} contains a {@code KeyPoller} for each watched key, which reads the key's item at
 *       intervals. A {@code ListeningWatch} passes the states of the key to a listener, or to a caller that waits until
 *       the key is free.
 *   <li>Close: {@code LiveLeases} contains the acquires and leases that have not ended; {@code Shutdown} closes the
 *       manager.
 * </ol>
 */
@NullMarked
package io.leasekit.engine;

import org.jspecify.annotations.NullMarked;
