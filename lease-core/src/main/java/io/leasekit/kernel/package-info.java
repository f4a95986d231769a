/**
 * The kernel acquires, renews and releases leases. The kernel does not depend on any feature. {@code LeaseRecords} lets
 * features add attributes to the kernel's writes, and a {@code Gate} ({@code io.leasekit.requests}) decides whether an
 * acquire may be sent. Numbers such as 5.1 in comments are sections of {@code docs/protocol.md}.
 *
 * <p>The kernel decides when to send requests, and which ones. The package {@code io.leasekit.requests} sends requests,
 * waits for replies, and computes bounds of DynamoDB's time from the replies. No thread holds a lock while it sends a
 * request.
 *
 * <p>A {@code Mailbox} ({@code io.leasekit.threads}) runs steps one at a time. Any thread can add a step to a mailbox.
 * An idle mailbox runs the step on the thread that adds it; a busy mailbox runs it on the thread that is already
 * running steps. An acquire and its lease share one mailbox; each {@code KeyQueue} has its own. {@code EngineParts}
 * creates the objects that all acquires and leases of a manager share. Thousands of leases may be held, so an object
 * that belongs to one lease is kept small. {@code Heartbeat} is an inner class so that all heartbeats share the fields
 * of one {@code Renewer}.
 *
 * <p>The classes in the order in which to read them:
 *
 * <ol>
 *   <li>Acquire: {@code LeaseSpec} contains the values of a request; values that the request does not set come from
 *       {@code LeaseSettings}. {@code Acquisition} is one acquire; its Javadoc lists the states of an acquire. {@code
 *       AcquireCall}, the superclass of {@code Acquisition}, contains the data for the caller. {@code Queues} returns
 *       the {@code KeyQueue} of a key, which decides which caller of this process may send requests. {@code
 *       AcquireLoop} sends the requests of an acquire: if DynamoDB refuses an attempt, the loop reads the item, waits
 *       and tries again. {@code SeenItems}, the superclass of {@code AcquireLoop}, stores the items that replies have
 *       shown to one acquire. {@code Observer} stores the items that replies have shown to all acquires. {@code
 *       Polling} and {@code Contention} ({@code io.leasekit.observe}) decide when an acquire reads the item again.
 *   <li>Lease: {@code LeaseState} is one granted lease; it decides when a renewal, a warning or a stop request is due.
 *       {@code Validity} decides whether the lease is valid. {@code RenewalSchedule} wakes a lease when its renewal is due, {@code Renewer} creates the
 *       renewal, and {@code Requests} sends it.
 *   <li>Release: {@code LeaseState} gets a {@code Release} from {@code Releases}, and passes it to the {@code
 *       KeyQueue}. {@code KeyQueue} hands the lease over to the next acquire of this process, or lets {@code Releases}
 *       send the release.
 *   <li>Decisions: {@code LeaseRules} has one method for each decision on which safety depends. {@code Tenure} ({@code
 *       io.leasekit.tenure}) stores the versions that one acquire and its lease have written.
 *   <li>Output: {@code ResultDelivery} passes results to callers, and {@code LeaseReports} receives what happens.
 *   <li>Close: {@code LiveLeases} contains the acquires and leases that have not ended; {@code Shutdown} closes the
 *       manager.
 * </ol>
 */
@NullMarked
package io.leasekit.kernel;

import org.jspecify.annotations.NullMarked;
