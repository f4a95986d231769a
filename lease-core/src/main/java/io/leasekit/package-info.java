/**
 * Leases in DynamoDB. At most one owner at a time holds a key, for as long as it renews its lease.
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li>While {@link io.leasekit.Lease#isValid()} returns {@code true}, no other manager on the same table is granted
 *       the same key. This holds whatever the local wall clocks show, however long a process was paused, and whatever
 *       happens to requests and replies on the network.
 *   <li>Fencing tokens grow with each lease of a key, across releases, take-overs, expiry and the removal of the item.
 *   <li>A lease that is renewed in time is not lost through a lost reply, a timeout or an error of the store.
 *   <li>A holder that dies frees its key: 7 s after the ttl of its last renewal at the latest, the next attempt is
 *       granted.
 *   <li>A lease of several keys ({@link io.leasekit.LeaseRequest#ofAll}) gives these guarantees for each of its keys
 *       and is lost as a whole.
 *   <li>A write that carries {@link io.leasekit.Lease#conditionCheck()} is refused once another owner has acquired the
 *       lease.
 * </ul>
 *
 * <h2>Not guaranteed</h2>
 *
 * <ul>
 *   <li>Without fencing, a lease does not protect a resource from a late write. A process can be paused between its
 *       check and its write, and continue after its lease has ended. Use {@link io.leasekit.Lease#conditionCheck()} or
 *       {@link io.leasekit.Lease#fencingToken()}.
 *   <li>A hypervisor that stops both clocks of a machine is noticed only with the next reply.
 *   <li>{@link io.leasekit.LeaseRequest#holdAtLeast()} and {@link io.leasekit.LeaseRequest#cooldown()} are schedules,
 *       exact to about 2 s. They are not exclusion.
 *   <li>Work that is cut short may run again. A lease gives at most one execution at a time, not exactly one execution.
 *   <li>On a global table without strong consistency across regions, leases exclude nobody.
 *       {@link io.leasekit.dynamodb.LeaseTable} rejects such a table. One with strong consistency has leases of one key
 *       only, and no condition checks ({@link io.leasekit.dynamodb.LeaseTableKind}).
 * </ul>
 *
 * <h2>Assumptions</h2>
 *
 * <ul>
 *   <li>DynamoDB's conditional writes and consistent reads are linearizable for each item. Its transactions are
 *       serializable; leases of several keys depend on that.
 *   <li>Only Leasekit and item TTL, or the script of {@code docs/operations.md} for tables without it, remove or
 *       rewrite items. An item that is removed or created again by hand, a table that is created again or restored,
 *       and a change to another region can let two holders believe in their lease until their next renewals, at worst
 *       with the same fencing token.
 *   <li>The {@code Date}s of DynamoDB's replies are within 1 s of each other, rounding and caching included. If replies
 *       disagree by more, take-overs wait, and a warning is logged.
 *   <li>A monotonic clock is off by at most 0.1 % (NTP slews by 0.05 %). A machine that was suspended shows it by its
 *       wall clock.
 *   <li>Tokens grow across the removal of an item because no copy of a request is applied late. After a release that
 *       keeps the item, the limit is 15 minutes from the sending of the request. After a crash, it is one ttl. For a
 *       release that deletes the item it is the deletion, and for a hold its end.
 *   <li>Clients of the Rust crate {@code dynamodb-lease} may share the table if their clocks are within 1 s. Such a
 *       client erases the token. After it, tokens grow only if its lease lasted longer than the uncertainty of the
 *       clock, 3 s at most.
 * </ul>
 *
 * <p>{@link io.leasekit.LeaseManager} is the entry point. The project's {@code docs/protocol.md} describes the steps of
 * the protocol and names the tests that check them.
 */
@NullMarked
package io.leasekit;

import org.jspecify.annotations.NullMarked;
