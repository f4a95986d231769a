package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that did not get its lease because another holds it. Immutable, save the arguments themselves.
 *
 * @param key the lease's key
 * @param method the method that was called and did not run
 * @param arguments what it was called with
 * @param unavailable the error that names the holder
 */
public record LeaseUnavailableCall(
        String key, Method method, List<@Nullable Object> arguments, LeaseUnavailableException unavailable) {

    /** Copies the arguments. */
    public LeaseUnavailableCall {
        arguments = Collections.unmodifiableList(Arrays.asList(arguments.toArray()));
    }
}
