package io.leasekit.spring.schedule;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The method that a task of Spring's calls, as the text of the task shows it. Immutable, so thread-safe.
 *
 * @param type the class that declares it, or that of the bean; a JDK proxy or a user's class
 * @param name its name
 */
record CalledMethod(Class<?> type, String name) {

    /** Returns the method that this task calls; {@code null} if its text names none. */
    static @Nullable CalledMethod of(Runnable task, @Nullable ClassLoader loader) {
        String text = task.toString(); // of each task that Spring makes: the class and the method
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
