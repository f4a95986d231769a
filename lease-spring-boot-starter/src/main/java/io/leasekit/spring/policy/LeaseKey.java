package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.key.LeaseKeyTemplate;
import org.jspecify.annotations.Nullable;

/**
 * One key of an annotated method.
 *
 * @param text the application's key prefix if the key has an expression; the whole key if it has none
 */
@Internal
public record LeaseKey(String text, @Nullable LeaseKeyTemplate template) {

    String resolve(@Nullable Object target, @Nullable Object[] arguments) {
        return template == null ? text : text + template.resolve(target, arguments);
    }

    public boolean differsBetweenBeans() {
        return template != null && template.differsBetweenBeans();
    }

    /** Returns the part of the key that is the same in every call. */
    public LeasedMethod.Key known() {
        return template == null
                ? new LeasedMethod.Key(text, true)
                : new LeasedMethod.Key(text + template.begin(), false);
    }

    boolean isFixed() {
        return template == null;
    }
}
