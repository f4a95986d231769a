package io.leasekit.spring;

import io.leasekit.LeaseRequest;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the annotation says about one method, ready to be used: placeholders are resolved, {@code AUTO} is decided.
 *
 * @param key makes the key of a call
 * @param terms adds the annotation's durations to a request
 * @param manager the name of the manager; empty: the only or primary one
 * @param skipUnavailable whether a call is skipped while another holds the lease
 * @param skipStoreFailure whether a call is skipped when the store fails
 * @param onLost what follows a loss
 * @param skippedResult makes the result of a call that was skipped
 */
record LeasePolicy(
        LeaseKeyResolver key,
        UnaryOperator<LeaseRequest> terms,
        String manager,
        boolean skipUnavailable,
        boolean skipStoreFailure,
        OnLost onLost,
        Supplier<@Nullable Object> skippedResult) {

    LeaseRequest request(@Nullable Object target, @Nullable Object[] arguments) {
        return terms.apply(LeaseRequest.of(key.resolve(target, arguments)));
    }
}
