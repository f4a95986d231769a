package io.leasekit;

import io.leasekit.text.Text;
import java.time.Duration;
import java.time.Instant;

/**
 * A snapshot of a held lease, taken by {@link LeaseManager#held()}. Immutable, so thread-safe.
 *
 * @param key the lease's key; for a lease of several keys, there is one status for each key
 * @param owner the owner's name
 * @param fencingToken the lease's token
 * @param acquiredAt the time of the acquire by DynamoDB's clock, exact to about a second
 * @param valid whether the lease was known to be held ({@link Lease#isValid()}); {@code false} if the lease must first
 *     be renewed after a clock jump or a suspend of the machine
 * @param remaining how long the lease stays valid without another renewal; zero if the lease is not valid
 * @param heldFor the time for which the lease had been held
 * @param permits the number of {@linkplain LeaseRequest#permits(int) permits} of the key; 0 if the lease is not a
 *     permit
 * @param slot the slot of a permit, counted from 0; 0 if the lease is not a permit
 */
public record LeaseStatus(
        String key,
        String owner,
        long fencingToken,
        Instant acquiredAt,
        boolean valid,
        Duration remaining,
        Duration heldFor,
        int permits,
        int slot) {
    @Override
    public String toString() {
        return Text.record(
                "LeaseStatus",
                "key, owner, fencingToken, acquiredAt, valid, remaining, heldFor, permits, slot",
                key,
                owner,
                fencingToken,
                acquiredAt,
                valid,
                remaining,
                heldFor,
                permits,
                slot);
    }
}
