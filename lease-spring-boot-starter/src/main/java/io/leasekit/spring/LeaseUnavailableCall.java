package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call that did not run its method, because another owner holds the lease or because the lease is paused. The record
 * is immutable, but the arguments may be mutable objects.
 *
 * @param key the key of the lease
 * @param method the called method
 * @param arguments the arguments of the call
 * @param unavailable the exception that names the holder or the pause
 */
public record LeaseUnavailableCall(
        String key, Method method, List<@Nullable Object> arguments, LeaseUnavailableException unavailable) {

    /** Copies the arguments. */
    public LeaseUnavailableCall {
        arguments = Collections.unmodifiableList(Arrays.asList(arguments.toArray()));
    }
}
