package io.leasekit.spring.schedule;

import java.time.Instant;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

/** Fires scheduled methods when the test does. */
public final class TestFiring {

    private TestFiring() {}

    /** Calls a bean's method as the test kit does: no task has fired it, so it has the slots of its annotation. */
    public static void of(Object bean, String method) {
        Firing.byTest(AopUtils.getTargetClass(bean), method).run(call(bean, method));
    }

    /** Calls a bean's method past the registrar, as other schedulers do. */
    public static void pastTheRegistrar(Object bean, String method) {
        call(bean, method).run();
    }

    private static ScheduledMethodRunnable call(Object bean, String method) {
        try {
            return new ScheduledMethodRunnable(bean, method);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns what the application's scheduler runs for the tasks of a bean's class, in their order. */
    public static List<Runnable> tasks(ApplicationContext context, Class<?> type, String method) {
        return context.getBean(Firings.class)
                .of(ReflectionUtils.findMethod(type, method), type)
                .map(task -> (Runnable) () -> task.run(Instant.now(), null)) // at no known time, thus at DynamoDB's
                .toList();
    }
}
