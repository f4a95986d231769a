package io.leasekit.spring.actuate;

/**
 * Names of the meters of leases.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>tags besides {@code manager}</th><th>meaning</th></tr>
 * <tr><td>{@code lease.acquire}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>acquire calls, including
 *     their waits</td></tr>
 * <tr><td>{@code lease.wait}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>time that acquire calls waited
 *     because another owner held the lease or other callers were ahead; calls that did not wait are not
 *     counted</td></tr>
 * <tr><td>{@code lease.held.time}</td><td>timer</td><td>{@code name}</td><td>time from the grant of a lease to its
 *     release or loss</td></tr>
 * <tr><td>{@code lease.held.active}</td><td>long task timer</td><td>{@code name}</td><td>number of leases held now, and
 *     the time since their grants</td></tr>
 * <tr><td>{@code lease.held}</td><td>gauge</td><td></td><td>number of leases held now</td></tr>
 * <tr><td>{@code lease.waiting}</td><td>gauge</td><td></td><td>number of acquire calls that wait now</td></tr>
 * <tr><td>{@code lease.overdue}</td><td>gauge</td><td></td><td>number of held leases that are at risk, because no
 *     renewal has succeeded for too long</td></tr>
 * <tr><td>{@code lease.passive}</td><td>gauge</td><td></td><td>number of held leases that no heartbeat renews</td></tr>
 * <tr><td>{@code lease.leader}</td><td>gauge</td><td>{@code name}</td><td>1 while this process leads, and 0
 *     otherwise</td></tr>
 * <tr><td>{@code lease.leader.stuck}</td><td>gauge</td><td>{@code name}</td><td>1 while the work of a leader still runs
 *     after its stop timeout, and 0 otherwise</td></tr>
 * <tr><td>{@code lease.leader.terms}</td><td>counter</td><td>{@code name}</td><td>terms of leaders that began in this
 *     process</td></tr>
 * <tr><td>{@code lease.run}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>runs of jobs and named runs,
 *     timed from the acquire</td></tr>
 * <tr><td>{@code lease.run.success.age}</td><td>gauge</td><td>{@code name}</td><td>time since the last successful run,
 *     in this process or shown by a reply of DynamoDB</td></tr>
 * <tr><td>{@code lease.renew}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>renewals</td></tr>
 * <tr><td>{@code lease.renew.lag}</td><td>timer</td><td>{@code name}</td><td>delay between the due time of a renewal
 *     and its sending</td></tr>
 * <tr><td>{@code lease.renew.remaining.min}</td><td>gauge</td><td>{@code name}</td><td>smallest validity left when a
 *     renewal was answered, over the last one to two minutes; no value without renewals</td></tr>
 * <tr><td>{@code lease.lost}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>lost leases</td></tr>
 * <tr><td>{@code lease.skipped}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>skipped calls of annotated
 *     methods</td></tr>
 * <tr><td>{@code lease.store.requests}</td><td>timer</td><td>{@code operation}, {@code outcome}</td><td>requests to
 *     DynamoDB</td></tr>
 * <tr><td>{@code lease.store.errors}</td><td>counter</td><td>{@code operation}, {@code kind}</td><td>failed requests; a
 *     write refused by its condition is not a failure</td></tr>
 * <tr><td>{@code lease.store.throttled}</td><td>counter</td><td>{@code operation}, {@code reason}</td><td>throttled
 *     requests, by the limit that they exceeded</td></tr>
 * <tr><td>{@code lease.store.capacity}</td><td>counter</td><td>{@code operation}</td><td>capacity units consumed by
 *     requests with a reply; a refused write counts as one unit</td></tr>
 * <tr><td>{@code lease.clock.offset}</td><td>gauge</td><td></td><td>lead of the local wall clock over DynamoDB's time;
 *     leases do not depend on it</td></tr>
 * <tr><td>{@code lease.clock.uncertainty}</td><td>gauge</td><td></td><td>maximum error of the estimate of DynamoDB's
 *     time</td></tr>
 * </table>
 *
 * <p>The tag {@code name} is the key as written in the annotation, the name given by {@code LeaseRequest.named(…)}, or
 * {@code none}. After {@value #MAX_NAMES} different names, further names are shown as {@code other}. Keys with
 * evaluated expressions are never tags.
 */
public final class LeaseMeters {

    /** Acquire calls. */
    public static final String ACQUIRE = "lease.acquire";
    /** Waiting time of acquire calls. */
    public static final String WAIT = "lease.wait";
    /** Time that leases were held. */
    public static final String HELD_TIME = "lease.held.time";
    /** Number of leases held now, and the time since their grants. */
    public static final String HELD_ACTIVE = "lease.held.active";
    /** Number of leases held now. */
    public static final String HELD = "lease.held";
    /** Number of waiting acquire calls. */
    public static final String WAITING = "lease.waiting";
    /** Number of held leases that are at risk. */
    public static final String OVERDUE = "lease.overdue";
    /** Number of held leases that no heartbeat renews. */
    public static final String PASSIVE = "lease.passive";
    /** Whether this process leads. */
    public static final String LEADER = "lease.leader";
    /** Whether a leader's work still runs after its stop timeout. */
    public static final String LEADER_STUCK = "lease.leader.stuck";
    /** Terms of leaders. */
    public static final String LEADER_TERMS = "lease.leader.terms";
    /** Completed runs. */
    public static final String RUN = "lease.run";
    /** Time since the last known success of a run. */
    public static final String RUN_SUCCESS_AGE = "lease.run.success.age";
    /** Renewals. */
    public static final String RENEW = "lease.renew";
    /** Delay of renewals. */
    public static final String RENEW_LAG = "lease.renew.lag";
    /** Smallest validity left at a renewal. */
    public static final String RENEW_REMAINING_MIN = "lease.renew.remaining.min";
    /** Lost leases. */
    public static final String LOST = "lease.lost";
    /** Skipped calls. */
    public static final String SKIPPED = "lease.skipped";
    /** Requests to the store. */
    public static final String STORE_REQUESTS = "lease.store.requests";
    /** Failed requests to the store. */
    public static final String STORE_ERRORS = "lease.store.errors";
    /** Throttled requests to the store. */
    public static final String STORE_THROTTLED = "lease.store.throttled";
    /** Capacity units that requests consumed. */
    public static final String STORE_CAPACITY = "lease.store.capacity";
    /** Lead of the local wall clock. */
    public static final String CLOCK_OFFSET = "lease.clock.offset";
    /** Maximum error of the estimate of DynamoDB's time. */
    public static final String CLOCK_UNCERTAINTY = "lease.clock.uncertainty";

    /** Maximum number of different lease names in the meters of a manager. */
    public static final int MAX_NAMES = 100;

    private LeaseMeters() {}
}
