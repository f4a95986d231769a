package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a manager and of its requests to the table, for gauges, health checks and reports. The manager derives
 * the state from its ordinary requests, so reading the state sends no request. Immutable, so thread-safe.
 *
 * @param owner the name that the table shows as the owner of this manager's leases
 * @param ttl the manager's ttl; a lease may have another ttl, set in its request
 * @param held the number of held leases
 * @param waiting the number of acquires that wait for another owner or for earlier callers
 * @param overdue the number of held leases that are at risk, because their recent renewals have not succeeded
 * @param passive the number of held leases that no heartbeat renews ({@link LeaseRequest#passive()})
 * @param sinceSuccess the time since the last request that did not fail; {@code null} if no request has succeeded. A
 *     write whose condition was not met is not a failure
 * @param sinceFailure the time since the last failed request; {@code null} if no request has failed
 * @param failingFor the time since the first failure after the last success; {@code null} if the last request succeeded
 *     or no request was sent
 * @param clockOffset how far the local wall clock is ahead of the store's clock, negative if it is behind; {@code null}
 *     if the store's time is not known yet. No lease depends on this offset
 * @param clockUncertainty how far the manager's estimate of the store's time may be wrong; {@code null} if the store's
 *     time is not known yet
 * @param transactions whether the table supports transactions, as far as the manager knows. On a table without
 *     transactions, leases of several keys, runs in any order and condition checks are refused
 * @param tableProblem the reason why the manager cannot use the table; {@code null} if no problem is known. While the
 *     manager cannot use the table, acquires and reads fail
 * @param lastError the error of the last request, in one line without secrets; {@code null} if the last request did not
 *     fail or no request was sent
 */
public record LeaseManagerStatus(
        String owner,
        Duration ttl,
        int held,
        int waiting,
        int overdue,
        int passive,
        @Nullable Duration sinceSuccess,
        @Nullable Duration sinceFailure,
        @Nullable Duration failingFor,
        @Nullable Duration clockOffset,
        @Nullable Duration clockUncertainty,
        boolean transactions,
        @Nullable String tableProblem,
        @Nullable String lastError) {

    @Override
    public String toString() {
        return Text.record(
                "LeaseManagerStatus",
                "owner, ttl, held, waiting, overdue, passive, sinceSuccess, sinceFailure, failingFor, clockOffset,"
                        + " clockUncertainty, transactions, tableProblem, lastError",
                owner,
                ttl,
                held,
                waiting,
                overdue,
                passive,
                sinceSuccess,
                sinceFailure,
                failingFor,
                clockOffset,
                clockUncertainty,
                transactions,
                tableProblem,
                lastError);
    }
}
