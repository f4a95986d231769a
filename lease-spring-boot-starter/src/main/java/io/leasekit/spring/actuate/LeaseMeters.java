package io.leasekit.spring.actuate;

/**
 * The names of the meters of leases.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>tags besides {@code manager}</th><th>meaning</th></tr>
 * <tr><td>{@code lease.acquire}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>acquire calls, waiting
 *     included</td></tr>
 * <tr><td>{@code lease.wait}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>what acquire calls waited because
 *     another held the lease; those that did not wait do not count</td></tr>
 * <tr><td>{@code lease.held.time}</td><td>timer</td><td>{@code name}</td><td>for how long leases were held until they were
 *     released or lost</td></tr>
 * <tr><td>{@code lease.held.active}</td><td>long task timer</td><td>{@code name}</td><td>leases that are held now, and for how
 *     long</td></tr>
 * <tr><td>{@code lease.held}</td><td>gauge</td><td></td><td>how many leases are held now</td></tr>
 * <tr><td>{@code lease.waiting}</td><td>gauge</td><td></td><td>how many acquire calls wait now</td></tr>
 * <tr><td>{@code lease.overdue}</td><td>gauge</td><td></td><td>how many of the leases held now no renewal has got through for,
 *     for so long that they are at risk</td></tr>
 * <tr><td>{@code lease.run}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>runs of jobs, and of other methods that
 *     run once for each name, from the acquire on</td></tr>
 * <tr><td>{@code lease.renew}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>renewals</td></tr>
 * <tr><td>{@code lease.renew.lag}</td><td>timer</td><td>{@code name}</td><td>how long after they were due renewals were
 *     sent</td></tr>
 * <tr><td>{@code lease.renew.remaining.min}</td><td>gauge</td><td>{@code name}</td><td>the smallest validity that was left when
 *     a renewal was answered, of the last one to two minutes; no value without one</td></tr>
 * <tr><td>{@code lease.lost}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>leases that were lost</td></tr>
 * <tr><td>{@code lease.skipped}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>calls of annotated methods that
 *     were skipped</td></tr>
 * <tr><td>{@code lease.store.requests}</td><td>timer</td><td>{@code operation}, {@code outcome}</td><td>requests to
 *     DynamoDB</td></tr>
 * <tr><td>{@code lease.store.errors}</td><td>counter</td><td>{@code operation}, {@code kind}</td><td>those of them that
 *     failed; a refusal is no failure</td></tr>
 * <tr><td>{@code lease.store.capacity}</td><td>counter</td><td>{@code operation}</td><td>capacity units that answered requests
 *     consumed; refused writes do not tell, and cost about one each</td></tr>
 * <tr><td>{@code lease.clock.offset}</td><td>gauge</td><td></td><td>how far the local wall clock is ahead of DynamoDB's;
 *     leases do not depend on it</td></tr>
 * <tr><td>{@code lease.clock.uncertainty}</td><td>gauge</td><td></td><td>how far DynamoDB's time may be from where it is
 *     believed to be</td></tr>
 * </table>
 *
 * <p>The tag {@code name} is the text of the annotation's key, as written, or that of {@code LeaseRequest.named(…)}, else
 * {@code none}; after {@value #MAX_NAMES} different ones all others are {@code other}. A resolved key is never a tag.
 */
public final class LeaseMeters {

    /** Acquire calls. */
    public static final String ACQUIRE = "lease.acquire";
    /** What acquire calls waited. */
    public static final String WAIT = "lease.wait";
    /** For how long leases were held. */
    public static final String HELD_TIME = "lease.held.time";
    /** Leases that are held, and for how long. */
    public static final String HELD_ACTIVE = "lease.held.active";
    /** How many leases are held. */
    public static final String HELD = "lease.held";
    /** How many acquire calls wait. */
    public static final String WAITING = "lease.waiting";
    /** How many leases that are held are at risk. */
    public static final String OVERDUE = "lease.overdue";
    /** Runs that ended. */
    public static final String RUN = "lease.run";
    /** Renewals. */
    public static final String RENEW = "lease.renew";
    /** How late renewals were sent. */
    public static final String RENEW_LAG = "lease.renew.lag";
    /** The smallest validity that was left at a renewal. */
    public static final String RENEW_REMAINING_MIN = "lease.renew.remaining.min";
    /** Leases that were lost. */
    public static final String LOST = "lease.lost";
    /** Calls that were skipped. */
    public static final String SKIPPED = "lease.skipped";
    /** Requests to the store. */
    public static final String STORE_REQUESTS = "lease.store.requests";
    /** Requests to the store that failed. */
    public static final String STORE_ERRORS = "lease.store.errors";
    /** Capacity units that requests consumed. */
    public static final String STORE_CAPACITY = "lease.store.capacity";
    /** How far the local wall clock is ahead. */
    public static final String CLOCK_OFFSET = "lease.clock.offset";
    /** How far the store's time may be from where it is believed to be. */
    public static final String CLOCK_UNCERTAINTY = "lease.clock.uncertainty";

    /** So many different names of leases a manager's meters tell apart. */
    public static final int MAX_NAMES = 100;

    private LeaseMeters() {}
}
