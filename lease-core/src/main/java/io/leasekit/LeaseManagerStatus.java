package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a manager knows of itself and of its way to the table at one moment, for gauges, health checks and reports. It rests on
 * the traffic that there was: reading it sends nothing.
 *
 * @param owner the owner's name
 * @param ttl the manager's ttl; a request may have another
 * @param held how many leases are held
 * @param waiting how many acquires wait because another holds their lease
 * @param overdue how many of the leases that are held are at risk: no renewal has got through for so long
 * @param sinceSuccess how long ago the store did what was asked, or refused it by its condition; {@code null}: never yet
 * @param sinceFailure how long ago a request failed; {@code null}: never yet
 * @param failingFor how long ago the first request failed after which none succeeded; {@code null}: the last one succeeded, or
 *     there was none
 * @param clockOffset how far the local wall clock is ahead of the store's, negative where it is behind; no lease depends on it.
 *     {@code null}: the store's time is not known yet
 * @param clockUncertainty how far the store's time may be from where it is believed to be; {@code null}: it is not known yet
 */
public record LeaseManagerStatus(
        String owner,
        Duration ttl,
        int held,
        int waiting,
        int overdue,
        @Nullable Duration sinceSuccess,
        @Nullable Duration sinceFailure,
        @Nullable Duration failingFor,
        @Nullable Duration clockOffset,
        @Nullable Duration clockUncertainty) {

    @Override
    public String toString() {
        return Text.record(
                "LeaseManagerStatus",
                "owner, ttl, held, waiting, overdue, sinceSuccess, sinceFailure, failingFor, clockOffset, clockUncertainty",
                owner,
                ttl,
                held,
                waiting,
                overdue,
                sinceSuccess,
                sinceFailure,
                failingFor,
                clockOffset,
                clockUncertainty);
    }
}
