package io.leasekit;

import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;

/**
 * A value that identifies one lease of one key. The holder sends it to a worker in another thread or process, so that
 * the worker's writes are rejected once the lease has ended.
 *
 * <p>With DynamoDB, {@link io.leasekit.dynamodb.LeaseFencing#conditionCheck} creates a condition check from a fence.
 * With other stores, compare the {@link #fencingToken()}.
 *
 * <p>A fence renews nothing, and does not show whether the lease is still held. A fence stays the same across renewals.
 * Once the lease has been released, passed on to another caller or acquired by another owner, the fence is stale for
 * good. The fence stays stale even if the same process acquires the key again. Immutable, so thread-safe. Serializable,
 * and easy to send as JSON.
 *
 * @param key the key as the table shows it, with any prefix
 * @param fencingToken the lease's fencing token, larger than the tokens of all earlier leases of the key
 * @param tenure the id of the lease, chosen by its acquire call
 */
public record LeaseFence(String key, long fencingToken, UUID tenure) implements Serializable {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a fence, usually from the parts that a worker has received.
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
