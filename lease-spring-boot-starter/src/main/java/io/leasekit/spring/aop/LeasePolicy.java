package io.leasekit.spring.aop;

import io.leasekit.LeaseRequest;
import io.leasekit.spring.OnLost;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the annotation says about one method, ready to be used: placeholders are resolved, {@code AUTO} is decided.
 *
 * @param method the method's qualified name
 * @param name what the lease is called in meters and traces: the annotation's key as written, or the default key
 * @param keys its keys, in most cases one
 * @param fixed the request of all calls; {@code null}: their keys differ
 * @param terms adds the annotation's durations to a request
 * @param manager the name of the manager; empty: the only or primary one
 * @param skipUnavailable whether a call is skipped while another holds the lease
 * @param handler decides instead of {@code skipUnavailable}; {@code null}: there is none
 * @param skipStoreFailure whether a call is skipped when the store fails
 * @param onLost what follows a loss
 * @param once which run a call is for
 * @param skipAlreadyRan whether a call is skipped whose run is done
 * @param skippedResult makes the result of a call that was skipped
 * @param leaseParameter the parameter that is given the lease
 */
record LeasePolicy(
        String method,
        String name,
        List<LeaseKey> keys,
        @Nullable LeaseRequest fixed,
        UnaryOperator<LeaseRequest> terms,
        String manager,
        boolean skipUnavailable,
        @Nullable HandlerBean handler,
        boolean skipStoreFailure,
        OnLost onLost,
        LeaseOnce once,
        boolean skipAlreadyRan,
        Supplier<@Nullable Object> skippedResult,
        LeaseParameter leaseParameter) {

    LeaseRequest request(@Nullable Object target, @Nullable Object[] arguments) {
        if (fixed != null) {
            return fixed;
        }
        return terms.apply(
                request(keys.stream().map(key -> key.resolve(target, arguments)).toList()));
    }

    private LeaseRequest request(List<String> resolved) {
        try {
            return LeaseRequest.ofAll(resolved).named(name);
        } catch (IllegalArgumentException e) {
            String which = resolved.size() == 1 ? "The lease key of '" : "The lease keys of '";
            throw new IllegalStateException(which + method + "' cannot be used: " + e.getMessage(), e);
        }
    }
}
