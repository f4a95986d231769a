package io.leasekit.test;

import java.lang.reflect.Method;
import java.util.Set;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.scheduling.support.ScheduledMethodRunnable;
import org.springframework.util.ReflectionUtils;

/** Calls scheduled methods; apart from {@link TestLeases}, which works without Spring. */
final class Firing {

    private Firing() {}

    static void of(Object bean, String name) {
        Class<?> type = AopUtils.getTargetClass(bean);
        ReflectionUtils.MethodFilter fits =
                method -> method.getName().equals(name) && method.getParameterCount() == 0;
        Set<Method> methods = MethodIntrospector.selectMethods(type, fits);
        if (methods.isEmpty()) {
            throw new IllegalArgumentException(
                    "Class " + type.getName() + " has no method '" + name + "' without parameters");
        }
        Method method = AopUtils.selectInvocableMethod(methods.iterator().next(), bean.getClass());
        new ScheduledMethodRunnable(bean, method).run();
    }
}
