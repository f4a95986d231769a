package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * A method and its class as the user wrote them. For the generated class of a JDK proxy or lambda, this record contains
 * the interface that the class implements. A generated class has no parameter names, and the name of the class differs
 * between processes. Thread-safe.
 */
@Internal
public record UserMethod(Method method, Class<?> type) {

    /**
     * If several interfaces of a generated class declare the method, prefers an annotated method, then an annotated
     * interface.
     */
    public static UserMethod of(Method method, Class<?> targetClass, Class<? extends Annotation> annotation) {
        Class<?> type = ClassUtils.getUserClass(targetClass);
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        if (!isGenerated(type)) {
            return new UserMethod(specific, type);
        }
        List<UserMethod> declared = Stream.of(ClassUtils.getAllInterfacesForClass(type))
                .map(candidate -> ofInterface(specific, candidate))
                .filter(Objects::nonNull)
                .toList();
        return Stream.of(
                        declared.stream().filter(found -> isPresent(annotation, found.method)),
                        declared.stream().filter(found -> isPresent(annotation, found.type)),
                        declared.stream())
                .flatMap(found -> found)
                .findFirst()
                .orElse(new UserMethod(specific, type));
    }

    public static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || type.isHidden() || type.isSynthetic();
    }

    private static @Nullable UserMethod ofInterface(Method method, Class<?> type) {
        Method declared = ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes());
        return declared == null ? null : new UserMethod(BridgeMethodResolver.findBridgedMethod(declared), type);
    }

    private static boolean isPresent(Class<? extends Annotation> annotation, AnnotatedElement element) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }
}
