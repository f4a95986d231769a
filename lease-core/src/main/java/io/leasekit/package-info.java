/**
 * Leases in DynamoDB. At most one owner at a time holds a key, for as long as it renews its lease.
 * {@link io.leasekit.LeaseManager} is the entry point.
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li>While {@link io.leasekit.Lease#isValid()} returns {@code true}, no other manager on the same table is granted
 *       the same key. Wrong wall clocks, paused processes and lost, repeated or late messages do not change that.
 *   <li>Fencing tokens grow with each lease of a key, across releases, take-overs, expiry and the removal of the item.
 *   <li>A lease that is renewed in time is not lost through a lost reply, a timeout or an error of the store.
 *   <li>If a holder dies, its key becomes free at the latest 7 s after the ttl of the last renewal: the next attempt is
 *       granted.
 *   <li>A lease of several keys ({@link io.leasekit.LeaseRequest#ofAll}) gives these guarantees for each key, and is
 *       lost as a whole.
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
 *   <li>If a hypervisor stops both clocks of a machine, the manager notices it only with the next reply.
 *   <li>{@link io.leasekit.LeaseRequest#holdAtLeast()} and {@link io.leasekit.LeaseRequest#cooldown()} serve
 *       scheduling, not exclusion. They are exact to about 2 s.
 *   <li>Work that is cut short may run again. A lease gives at most one execution at a time, not exactly one execution.
 *   <li>On a global table without strong consistency across regions, leases would exclude nobody, so
 *       {@link io.leasekit.dynamodb.LeaseTable} rejects such a table. A global table with strong consistency supports
 *       only leases of one key, and no condition checks ({@link io.leasekit.dynamodb.LeaseTableKind}).
 * </ul>
 *
 * <h2>Assumptions</h2>
 *
 * <ul>
 *   <li>DynamoDB's conditional writes and consistent reads are linearizable for each item. Its transactions are
 *       serializable; leases of several keys depend on that.
 *   <li>Only Leasekit and item TTL remove or rewrite items. For tables without item TTL, the script of
 *       {@code docs/operations.md} removes expired items. Other changes can let two holders trust their leases until
 *       their next renewals, at worst with the same fencing token. Such changes are the removal or creation of an item
 *       by hand, a table that is created again or restored, and a move to another region.
 *   <li>The {@code Date}s of DynamoDB's replies differ by at most 1 s, including rounding and caching. If they differ
 *       by more, take-overs wait, and the manager logs a warning.
 *   <li>A monotonic clock is off by at most 0.1 % (NTP slews by 0.05 %). If a machine was suspended, its wall clock
 *       shows the time that has passed.
 *   <li>No request, and no copy of it on the network, is applied more than 15 minutes after it was sent. This
 *       assumption only matters for the tokens of removed items. After a crash, the limit is one ttl instead. If the
 *       release deletes the item, no earlier request is applied after the deletion; if a hold follows the release, none
 *       after the hold.
 *   <li>Clients of the Rust crate {@code dynamodb-lease} may share the table if their clocks are within 1 s. Such a
 *       client erases the token. After that, tokens grow only if the client's lease lasted longer than the uncertainty
 *       of DynamoDB's time, at most 3 s.
 * </ul>
 *
 * <p>The project's {@code docs/protocol.md} describes the steps of the protocol and names the tests that check them.
 */
@NullMarked
package io.leasekit;

import org.jspecify.annotations.NullMarked;
