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
        // For Spring's tasks, this text is the class name, a dot and the method name.
        String text = task.toString();
        int dot = text.lastIndexOf('.');
        if (dot <= 0) {
            return null;
        }
        try {
            Class<?> type = ClassUtils.getUserClass(ClassUtils.forName(text.substring(0, dot), loader));
            return new CalledMethod(type, text.substring(dot + 1));
        } catch (ClassNotFoundException | LinkageError e) {
            return null;
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
