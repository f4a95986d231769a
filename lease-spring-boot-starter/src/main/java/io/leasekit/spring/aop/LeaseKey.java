package io.leasekit.spring.aop;

import io.leasekit.spring.key.LeaseKeyTemplate;
import org.jspecify.annotations.Nullable;

/**
 * One key of an annotated method.
 *
 * @param text what it begins with, in every call
 * @param template makes the rest for each call; {@code null}: there is none
 */
record LeaseKey(String text, @Nullable LeaseKeyTemplate template) {

    /** Returns the key of a call. */
    String resolve(@Nullable Object target, @Nullable Object[] arguments) {
        return template == null ? text : text + template.resolve(target, arguments);
    }

    boolean isFixed() {
        return template == null;
    }
}
