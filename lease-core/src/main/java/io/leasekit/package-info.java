/**
 * Leases in DynamoDB: a key is held by at most one owner at a time, for as long as its owner goes on renewing it.
 *
 * <h2>What is guaranteed</h2>
 *
 * <ul>
 *   <li>While {@link io.leasekit.Lease#isValid()} says {@code true}, no other manager on the same table is granted the same
 *       key, whatever the local wall clocks show, however long a process was stopped, and whatever became of requests and
 *       replies on their way.
 *   <li>Fencing tokens grow with each lease of a key, over releases, take-overs, expiry and the removal of the item.
 *   <li>A lease that is renewed in time is not lost to a lost reply, a timeout or an error of the store.
 *   <li>A holder that dies frees its key: the first attempt 7 s after the ttl of its last renewal, at the latest, gets it.
 *   <li>A lease of several keys ({@link io.leasekit.LeaseRequest#ofAll}) is all of that for each of them, and lost as a whole.
 *   <li>A write that carries {@link io.leasekit.Lease#conditionCheck()} is refused once the lease is another's.
 * </ul>
 *
 * <h2>What is not</h2>
 *
 * <ul>
 *   <li>Without fencing no lease protects a resource from a process that is stopped between its check and its write, and goes
 *       on after its lease has ended. Use {@link io.leasekit.Lease#conditionCheck()} or
 *       {@link io.leasekit.Lease#fencingToken()}.
 *   <li>A hypervisor that stops both clocks of a machine is noticed only at the next reply.
 *   <li>{@link io.leasekit.LeaseRequest#holdAtLeast()} and {@link io.leasekit.LeaseRequest#cooldown()} are schedules, exact to
 *       about 2 s, not exclusion.
 *   <li>A work that is cut short may be run again: a lease gives at most one at a time, not exactly once.
 *   <li>A global table that is not strongly consistent across regions excludes nobody; the table's check refuses it.
 * </ul>
 *
 * <h2>What that rests on</h2>
 *
 * <ul>
 *   <li>DynamoDB's conditional writes and consistent reads are linearizable, per item, and its transactions are serializable:
 *       leases of several keys rest on that.
 *   <li>The {@code Date}s of its replies are within 1 s of each other, rounding and caching included. Replies that disagree by
 *       more make take-overs wait, with a warning.
 *   <li>A monotonic clock is off by at most 0.1 % (NTP slews by 0.05 %); a machine that is suspended shows it by its wall clock.
 *   <li>Fencing across an item that is gone: no copy of a request is applied later than 15 minutes after it was sent (a release
 *       that retains), the ttl (a crash), or before a release that deletes, or a hold, has ended.
 *   <li>Clients of the Rust crate {@code dynamodb-lease} may share the table when their clocks are within 1 s. Such a client
 *       erases the token; after it, tokens grow only if its lease lasted longer than the uncertainty of the clock, 3 s at most.
 * </ul>
 *
 * <p>{@link io.leasekit.LeaseManager} is the entry. How it works, with the protocol's steps and where each was proved, stands in
 * the project's {@code ARCHITECTURE.md}.
 */
@NullMarked
package io.leasekit;

import org.jspecify.annotations.NullMarked;
