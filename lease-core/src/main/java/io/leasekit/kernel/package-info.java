/**
 * The kernel: it acquires, renews and releases leases. The kernel imports no feature; features use its seams: {@code
 * LeaseRecords} adds attributes to its writes, and a {@code Gate} ({@code io.leasekit.requests}) decides whether an
 * acquire may be sent. Numbers such as 5.1 in comments are sections of {@code docs/protocol.md}.
 *
 * <p>The kernel decides which requests are sent, and when. The package {@code io.leasekit.requests} sends these
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
 *   <li>Acquire: {@code LeaseSpec} contains the values of a request; values that the request does not set come from
 *       {@code LeaseSettings}. {@code Acquisition} is one acquire, and its comment lists the states; its superclass
 *       {@code AcquireCall} contains the data for the caller. {@code Queues} returns the {@code KeyQueue} (a {@code
 *       LocalQueue}) of the key, which decides when the acquire may send requests. {@code AcquireLoop} sends the
 *       requests of an acquire: if DynamoDB refuses an attempt, the loop reads the item, waits and tries again. {@code
 *       SeenItems}, the superclass of {@code AcquireLoop}, stores the items that replies have shown to this acquire;
 *       {@code Observer} stores what replies have shown to all acquires. {@code Polling} and {@code Contention} ({@code
 *       io.leasekit.observe}) decide when an acquire reads the item again.
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
 *   <li>Close: {@code LiveLeases} contains the acquires and leases that have not ended; {@code Shutdown} closes the
 *       manager.
 * </ol>
 */
@NullMarked
package io.leasekit.kernel;

import org.jspecify.annotations.NullMarked;
