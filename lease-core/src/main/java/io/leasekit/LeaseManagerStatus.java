package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a manager and of its requests to the table at one moment, for gauges, health checks and reports. The
 * state is derived from the manager's ordinary requests, so reading it sends no request. Immutable, so thread-safe.
 *
 * @param owner the owner's name
 * @param ttl the manager's ttl; a request may have another ttl
 * @param held the number of held leases
 * @param waiting the number of acquires that wait because another owner holds the lease or came first
 * @param overdue the number of held leases that are at risk, because no renewal has succeeded for too long
 * @param passive the number of held leases that no heartbeat renews ({@link LeaseRequest#passive()})
 * @param sinceSuccess the time since the last request that did not fail; {@code null} if there was none. A refused
 *     write is not a failure
 * @param sinceFailure the time since the last failed request; {@code null} if there was none
 * @param failingFor the time since the first failure after the last success; {@code null} if the last request succeeded
 *     or there was no request
 * @param clockOffset how far the local wall clock is ahead of the store's clock, negative if it is behind; {@code null}
 *     if the store's time is not known yet. No lease depends on this offset
 * @param clockUncertainty how far the store's time may be from its estimate; {@code null} if the store's time is not
 *     known yet
 * @param transactions whether the table has transactions, as far as known. Without them, leases of several keys, runs
 *     in any order and condition checks are refused
 * @param tableProblem the reason why the table was refused after the start, so that acquires and reads fail;
 *     {@code null} if no problem is known
 * @param lastError the error of the last request, in one line without secrets; {@code null} if the request did not fail
 *     or there was none
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
