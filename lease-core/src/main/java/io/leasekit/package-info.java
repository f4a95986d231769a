/**
 * Leases in DynamoDB. At most one owner holds a key at a time. The owner holds the key as long as its lease is renewed.
 * {@link io.leasekit.LeaseManager} is the entry point.
 *
 * <h2>Guarantees</h2>
 *
 * <ul>
 *   <li>While {@link io.leasekit.Lease#isValid()} returns {@code true}, no other manager on the same table is granted
 *       the same key. This guarantee holds even if wall clocks are wrong, processes are paused, or messages are lost,
 *       repeated or late.
 *   <li>Each lease of a key has a larger fencing token than all earlier leases of the key, even after releases,
 *       take-overs, expiry and the removal of the item.
 *   <li>A lost reply, a timeout or an error of the store does not cause the loss of a lease, as long as another renewal
 *       succeeds in time.
 *   <li>If a holder dies, its key becomes free at the latest 7 s after the ttl of the last renewal has passed. The next
 *       acquire attempt after this time is granted.
 *   <li>All guarantees hold for each key of a lease of several keys ({@link io.leasekit.LeaseRequest#ofAll}). If one of
 *       the keys is lost, the whole lease is lost.
 *   <li>A write that carries {@link io.leasekit.Lease#conditionCheck()} is refused once another owner has acquired the
 *       lease.
 * </ul>
 *
 * <h2>Not guaranteed</h2>
 *
 * <ul>
 *   <li>Without fencing, a lease does not protect a resource from a late write. A process can be paused after it has
 *       checked its lease, and then write after the lease has ended. To reject late writes, use
 *       {@link io.leasekit.Lease#conditionCheck()} or {@link io.leasekit.Lease#fencingToken()}.
 *   <li>If a hypervisor stops both the wall clock and the monotonic clock of a machine, the manager notices this stop
 *       only when the next reply from DynamoDB arrives. Until the manager notices such a stop, {@code isValid()} may
 *       return {@code true} for a lease that has ended.
 *   <li>{@link io.leasekit.LeaseRequest#holdAtLeast()} and {@link io.leasekit.LeaseRequest#cooldown()} serve
 *       scheduling, not mutual exclusion: both are exact to about 2 s.
 *   <li>Work that was interrupted by a crash or a loss may run again. A lease ensures at most one execution at a time,
 *       not exactly one execution.
 *   <li>On a global table without strong consistency across regions, owners in two regions could hold the same lease,
 *       so {@link io.leasekit.dynamodb.LeaseTable} rejects such a table. A global table with strong consistency
 *       supports only leases of one key, and no condition checks ({@link io.leasekit.dynamodb.LeaseTableKind}).
 * </ul>
 *
 * <h2>Assumptions</h2>
 *
 * <ul>
 *   <li>DynamoDB's conditional writes and consistent reads are linearizable for each item. DynamoDB's transactions are
 *       serializable; leases of several keys depend on this property.
 *   <li>Only Leasekit and item TTL remove or rewrite items. For tables without item TTL, the script of
 *       {@code docs/operations.md} removes expired items. Nobody removes or creates an item by hand, creates the table
 *       again, restores the table, or moves it to another region. Otherwise, two holders may trust their leases until
 *       their next renewals, and may even have the same fencing token.
 *   <li>If DynamoDB sends two replies at the same moment, their {@code Date} headers are at most 1 s apart, including
 *       rounding and caching. If dates from the same moment are further apart, the leases of dead holders are acquired
 *       later than usual, and the manager logs a warning.
 *   <li>The rate of a monotonic clock is wrong by at most 0.1 % (NTP changes the rate by at most 0.05 %). After a
 *       machine was suspended, its wall clock has advanced by the time of the suspend.
 *   <li>No request, and no copy of a request on the network, is applied more than 15 minutes after it was sent. The
 *       limit of 15 minutes only matters for the fencing tokens of removed items. No request of a crashed process is
 *       applied more than one ttl after it was sent. After a release that deletes the item, no earlier request is
 *       applied. If {@link io.leasekit.LeaseRequest#holdAtLeast()} keeps a
 *       released key from other owners, DynamoDB applies no request from before the release once other owners may get
 *       the key.
 *   <li>Clients of the Rust crate {@code dynamodb-lease} may share the table if their clocks are exact to 1 s. A client
 *       of the Rust crate removes the fencing token from the item. If the client's lease lasted longer than 3 s, the
 *       next Leasekit lease still gets a larger token than all earlier leases. After a shorter lease of the client, the
 *       next token can be equal or smaller.
 * </ul>
 *
 * <p>The project's {@code docs/protocol.md} describes the steps of the protocol and names the tests that check them.
 */
@NullMarked
package io.leasekit;

import org.jspecify.annotations.NullMarked;
