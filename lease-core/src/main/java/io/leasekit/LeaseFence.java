package io.leasekit;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;

/**
 * A value that identifies one lease of one key. The holder sends the fence to a worker in another thread or process.
 * The worker uses the fence to make its own writes fail once the lease has ended.
 *
 * <p>With DynamoDB, {@link io.leasekit.dynamodb.LeaseFencing#conditionCheck} creates a condition check from a fence. In
 * other data stores, reject a write whose {@link #fencingToken()} is smaller than the largest token that the data store
 * has seen.
 *
 * <p>A fence does not renew the lease, and does not show whether the lease is still held. Renewals do not change the
 * fence. A fence is stale once its lease was released, passed on to another caller, or acquired by another owner. A
 * stale fence never becomes usable again, even if the same process acquires the key again. Immutable, so thread-safe.
 * Serializable.
 *
 * @param key the key as the table shows it, with the key prefix if one is configured
 * @param fencingToken the lease's fencing token, larger than the tokens of all earlier leases of the key
 * @param tenure the id of the lease, a new value for each acquire
 */
public record LeaseFence(String key, long fencingToken, UUID tenure) implements Serializable {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a fence from the parts that a worker has received.
     *
     * @throws IllegalArgumentException if the key is null, blank or longer than 2,048 bytes of UTF-8, or if the token
     *     is less than 1
     * @throws NullPointerException if the tenure is null
     */
    public LeaseFence {
        Checks.key(key);
        if (fencingToken < 1) {
            throw new IllegalArgumentException("fencingToken is " + fencingToken + " for lease key " + Text.quote(key)
                    + ", expected the token of a lease, at least 1");
        }
        Objects.requireNonNull(tenure, "tenure");
    }

    @Override
    public String toString() {
        return Text.record("LeaseFence", "key, fencingToken, tenure", key, fencingToken, tenure);
    }
}
