package io.leasekit;

import io.leasekit.internal.Text;
import java.time.Duration;
import java.time.Instant;

/**
 * A lease that a manager holds, as it was when {@link LeaseManager#held()} was called. Immutable, so thread-safe.
 *
 * @param key the lease's key; a lease of several keys has a status for each
 * @param owner the owner's name
 * @param fencingToken the lease's token
 * @param acquiredAt when it was acquired, by DynamoDB's clock, to about a second
 * @param valid whether it was known to be held ({@link Lease#isValid()}); {@code false}: it was being renewed first
 * @param remaining how long it was valid without a renewal; zero when it was not
 * @param heldFor how long it had been held
 */
public record LeaseStatus(
        String key,
        String owner,
        long fencingToken,
        Instant acquiredAt,
        boolean valid,
        Duration remaining,
        Duration heldFor) {
    @Override
    public String toString() {
        return Text.record(
                "LeaseStatus",
                "key, owner, fencingToken, acquiredAt, valid, remaining, heldFor",
                key,
                owner,
                fencingToken,
                acquiredAt,
                valid,
                remaining,
                heldFor);
    }
}
