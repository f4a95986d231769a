package io.leasekit.spring.schedule;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The method that a task of Spring calls. The class and the method are read from the text that {@code toString} of the
 * task returns. Immutable, so thread-safe.
 *
 * @param type the class that declares the method, or the class of the bean, which may be the class of a JDK proxy
 * @param name the name of the method
 */
record CalledMethod(Class<?> type, String name) {

    /** Returns the method that this task calls; {@code null} if the text of the task names no method. */
    static @Nullable CalledMethod of(Runnable task, @Nullable ClassLoader loader) {
        String text = task.toString(); // of a task that Spring creates: the class and the method
        int dot = text.lastIndexOf('.');
        if (dot <= 0) {
            return null;
        }
        try {
            Class<?> type = ClassUtils.getUserClass(ClassUtils.forName(text.substring(0, dot), loader));
            return new CalledMethod(type, text.substring(dot + 1));
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // a task with another text
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
