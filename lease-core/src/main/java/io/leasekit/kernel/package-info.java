/**
 * The kernel acquires, renews and releases leases, and does not depend on any feature. Numbers such as 5.1 in comments
 * are sections of {@code docs/protocol.md}.
 *
 * <p>No thread holds a lock while it sends a request. A {@code Mailbox} runs the steps of an acquire and its lease one
 * at a time. A manager may hold thousands of leases, so an object that belongs to one lease is kept small.
 *
 * <p>The classes in the order in which to read them:
 *
 * <ol>
 *   <li>Acquire: {@code LeaseSpec}, {@code LeaseSettings}, {@code Acquisition}, {@code AcquireCall}, {@code Queues},
 *       {@code KeyQueue}, {@code AcquireLoop}, {@code SeenItems}
 *   <li>Lease: {@code LeaseState}, {@code RenewalSchedule}, {@code Renewer}
 *   <li>Release: {@code Releases}, {@code Release}
 *   <li>Decisions: {@code LeaseRules}
 *   <li>Output: {@code ResultDelivery}, {@code LeaseReports}
 *   <li>Close: {@code LiveLeases}, {@code Shutdown}
 * </ol>
 */
@NullMarked
package io.leasekit.kernel;

import org.jspecify.annotations.NullMarked;
