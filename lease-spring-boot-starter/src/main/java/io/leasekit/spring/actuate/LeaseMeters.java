package io.leasekit.spring.actuate;

/**
 * Names of the meters of leases.
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><th>name</th><th>type</th><th>tags besides {@code manager}</th><th>meaning</th></tr>
 * <tr><td>{@code lease.acquire}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>duration of acquire calls,
 *     including the time that they waited</td></tr>
 * <tr><td>{@code lease.wait}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>time that acquire calls waited
 *     for another owner or for earlier callers of this process; calls that did not wait are not counted</td></tr>
 * <tr><td>{@code lease.held.time}</td><td>timer</td><td>{@code name}</td><td>time from the grant of a lease to its
 *     release or loss</td></tr>
 * <tr><td>{@code lease.held.active}</td><td>long task timer</td><td>{@code name}</td><td>number of leases held now, and
 *     the time since their grants</td></tr>
 * <tr><td>{@code lease.held}</td><td>gauge</td><td></td><td>number of leases held now</td></tr>
 * <tr><td>{@code lease.waiting}</td><td>gauge</td><td></td><td>number of acquire calls that wait now</td></tr>
 * <tr><td>{@code lease.overdue}</td><td>gauge</td><td></td><td>number of held leases that are at risk, because no
 *     renewal has succeeded for too long</td></tr>
 * <tr><td>{@code lease.passive}</td><td>gauge</td><td></td><td>number of held leases that no heartbeat renews</td></tr>
 * <tr><td>{@code lease.leader}</td><td>gauge</td><td>{@code name}</td><td>1 while this process is the leader, and 0
 *     otherwise</td></tr>
 * <tr><td>{@code lease.leader.stuck}</td><td>gauge</td><td>{@code name}</td><td>1 while the work of a leader still runs
 *     after the stop timeout, and 0 otherwise</td></tr>
 * <tr><td>{@code lease.leader.terms}</td><td>counter</td><td>{@code name}</td><td>number of times that this process has
 *     become the leader</td></tr>
 * <tr><td>{@code lease.run}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>duration of runs of jobs and of
 *     named runs, measured from the acquire</td></tr>
 * <tr><td>{@code lease.run.success.age}</td><td>gauge</td><td>{@code name}</td><td>time since the end of the last
 *     successful run that this process has executed or has seen in a reply of DynamoDB</td></tr>
 * <tr><td>{@code lease.renew}</td><td>timer</td><td>{@code name}, {@code outcome}</td><td>duration of
 *     renewals</td></tr>
 * <tr><td>{@code lease.renew.lag}</td><td>timer</td><td>{@code name}</td><td>delay between the time at which a renewal
 *     is due and the time at which it is sent</td></tr>
 * <tr><td>{@code lease.renew.remaining.min}</td><td>gauge</td><td>{@code name}</td><td>minimum remaining validity of a
 *     lease at the end of a renewal, not counting this renewal, over the last one to two minutes; no value without
 *     renewals</td></tr>
 * <tr><td>{@code lease.lost}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>number of lost
 *     leases</td></tr>
 * <tr><td>{@code lease.skipped}</td><td>counter</td><td>{@code name}, {@code reason}</td><td>number of skipped calls of
 *     annotated methods</td></tr>
 * <tr><td>{@code lease.store.requests}</td><td>timer</td><td>{@code operation}, {@code outcome}</td><td>duration of
 *     requests to DynamoDB</td></tr>
 * <tr><td>{@code lease.store.errors}</td><td>counter</td><td>{@code operation}, {@code kind}</td><td>number of failed
 *     requests; a write that DynamoDB refused because of its condition is not a failure</td></tr>
 * <tr><td>{@code lease.store.throttled}</td><td>counter</td><td>{@code operation}, {@code reason}</td><td>number of
 *     throttled requests; {@code reason} is the limit that the requests exceeded</td></tr>
 * <tr><td>{@code lease.store.capacity}</td><td>counter</td><td>{@code operation}</td><td>number of capacity units that
 *     requests with a reply consumed; a write that DynamoDB refused because of its condition counts as one
 *     unit</td></tr>
 * <tr><td>{@code lease.clock.offset}</td><td>gauge</td><td></td><td>time by which the local wall clock is ahead of
 *     DynamoDB's time; the validity of leases does not depend on this offset</td></tr>
 * <tr><td>{@code lease.clock.uncertainty}</td><td>gauge</td><td></td><td>maximum error of the estimate of DynamoDB's
 *     time</td></tr>
 * </table>
 *
 * <p>The tag {@code name} is the key as written in the annotation, the name given by {@code LeaseRequest.named(…)}, or
 * {@code none}. After {@value #MAX_NAMES} different names, further names are shown as {@code other}. The evaluated text
 * of a key with expressions is never a tag.
 */
public final class LeaseMeters {

    /** Duration of acquire calls. */
    public static final String ACQUIRE = "lease.acquire";
    /** Waiting time of acquire calls. */
    public static final String WAIT = "lease.wait";
    /** Time from the grant of a lease to its release or loss. */
    public static final String HELD_TIME = "lease.held.time";
    /** Number of leases held now, and the time since the grant of each lease. */
    public static final String HELD_ACTIVE = "lease.held.active";
    /** Number of leases held now. */
    public static final String HELD = "lease.held";
    /** Number of waiting acquire calls. */
    public static final String WAITING = "lease.waiting";
    /** Number of held leases that are at risk. */
    public static final String OVERDUE = "lease.overdue";
    /** Number of held leases that no heartbeat renews. */
    public static final String PASSIVE = "lease.passive";
    /** 1 while this process is the leader, and 0 otherwise. */
    public static final String LEADER = "lease.leader";
    /** 1 while the work of a leader still runs after the stop timeout, and 0 otherwise. */
    public static final String LEADER_STUCK = "lease.leader.stuck";
    /** Number of times that this process has become the leader. */
    public static final String LEADER_TERMS = "lease.leader.terms";
    /** Duration of completed runs. */
    public static final String RUN = "lease.run";
    /** Time since the end of the last successful run that is known to this process. */
    public static final String RUN_SUCCESS_AGE = "lease.run.success.age";
    /** Duration of renewals. */
    public static final String RENEW = "lease.renew";
    /** Delay between the time at which a renewal is due and the time at which the renewal is sent. */
    public static final String RENEW_LAG = "lease.renew.lag";
    /** Minimum remaining validity of a lease at the end of a renewal, not counting this renewal. */
    public static final String RENEW_REMAINING_MIN = "lease.renew.remaining.min";
    /** Number of lost leases. */
    public static final String LOST = "lease.lost";
    /** Number of skipped calls of annotated methods. */
    public static final String SKIPPED = "lease.skipped";
    /** Duration of requests to the store. */
    public static final String STORE_REQUESTS = "lease.store.requests";
    /** Number of failed requests to the store. */
    public static final String STORE_ERRORS = "lease.store.errors";
    /** Number of throttled requests to the store. */
    public static final String STORE_THROTTLED = "lease.store.throttled";
    /** Number of DynamoDB's capacity units that requests consumed. */
    public static final String STORE_CAPACITY = "lease.store.capacity";
    /** Time by which the local wall clock is ahead of DynamoDB's time. */
    public static final String CLOCK_OFFSET = "lease.clock.offset";
    /** Maximum error of the estimate of DynamoDB's time. */
    public static final String CLOCK_UNCERTAINTY = "lease.clock.uncertainty";

    /** Maximum number of different lease names in the meters of a manager. */
    public static final int MAX_NAMES = 100;

    private LeaseMeters() {}
}
