package io.leasekit.spring.schedule;

import org.springframework.scheduling.support.ScheduledMethodRunnable;

/** Calls a bean's method as a scheduler does. */
public final class Firing {

    private Firing() {}

    public static void of(Object bean, String method) {
        try {
            new ScheduledMethodRunnable(bean, method).run();
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }
}
