package io.leasekit.spring.schedule;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The method that a task of Spring calls, parsed from the text of {@code task.toString()}. Thread-safe.
 *
 * @param type the declaring class, the class of the bean, or the class of a JDK proxy of the bean
 */
record CalledMethod(Class<?> type, String name) {

    static @Nullable CalledMethod of(Runnable task, @Nullable ClassLoader loader) {
        String text = task.toString(); // for a task that Spring creates: the class and the method
        int dot = text.lastIndexOf('.');
        if (dot <= 0) {
            return null;
        }
        try {
            Class<?> type = ClassUtils.getUserClass(ClassUtils.forName(text.substring(0, dot), loader));
            return new CalledMethod(type, text.substring(dot + 1));
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // the text of the task names no method
        }
    }

    boolean is(Method method, Class<?> targetClass) {
        return name.equals(method.getName())
                && (Proxy.isProxyClass(type) ? isProxyOf(targetClass) : type.isAssignableFrom(targetClass));
    }

    private boolean isProxyOf(Class<?> targetClass) {
        return Stream.of(type.getInterfaces())
                .anyMatch(shown ->
                        shown.isAssignableFrom(targetClass) && ClassUtils.hasAtLeastOneMethodWithName(shown, name));
    }
}
