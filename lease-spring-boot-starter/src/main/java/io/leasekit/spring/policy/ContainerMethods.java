package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Methods through which Spring's container queries, configures, starts and stops a bean. A lease annotation on a class
 * does not apply to the container methods of the class.
 */
@Internal
public final class ContainerMethods {

    /**
     * Of other Spring projects, only configurers and customizers match. Methods of their other interfaces, such as
     * message listeners, do the application's work.
     */
    private static final Predicate<String> CONTAINER = Pattern.compile("org\\.springframework\\.("
                    + "(aop|beans|boot|context|core|scheduling|transaction|validation)\\..*|.*(Configurer|Customizer))")
            .asMatchPredicate();

    /** Methods that the container calls to do work for the application: listeners of events and runners. */
    private static final Set<String> WORK = Set.of("onApplicationEvent", "run");

    private static final Set<String> ASKING =
            Set.of("org.springframework.core", "org.springframework.context", "org.springframework.context.event");

    private ContainerMethods() {}

    public static boolean isOf(Method method, Class<?> type) {
        return !WORK.contains(method.getName())
                && interfaces(type)
                        .anyMatch(candidate -> CONTAINER.test(candidate.getName()) && declares(candidate, method));
    }

    /**
     * Returns whether the container calls the method to get a result or to stop the bean. Such a call must succeed even
     * without the lease.
     */
    public static boolean isNeededAtAnyTime(Method method, Class<?> type) {
        return (method.getReturnType() != void.class || method.getName().equals("stop"))
                && !WORK.contains(method.getName())
                && interfaces(type)
                        .anyMatch(candidate ->
                                ASKING.contains(candidate.getPackageName()) && declares(candidate, method));
    }

    private static Stream<Class<?>> interfaces(Class<?> type) {
        Stream<Class<?>> above = Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                .flatMap(ContainerMethods::interfaces);
        return type.isInterface() ? Stream.concat(Stream.of(type), above) : above;
    }

    /** If the interface is generic, its parameter types may be supertypes of the method's parameter types. */
    private static boolean declares(Class<?> candidate, Method method) {
        return Stream.of(candidate.getDeclaredMethods())
                .anyMatch(declared -> declared.getName().equals(method.getName()) && isOverridden(declared, method));
    }

    private static boolean isOverridden(Method declared, Method method) {
        Class<?>[] wanted = declared.getParameterTypes();
        Class<?>[] given = method.getParameterTypes();
        boolean fits = wanted.length == given.length;
        for (int i = 0; fits && i < wanted.length; i++) {
            fits = wanted[i].isAssignableFrom(given[i]);
        }
        return fits;
    }
}
