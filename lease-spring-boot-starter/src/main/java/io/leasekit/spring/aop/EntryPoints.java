package io.leasekit.spring.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Methods that a framework calls, recognised by the names of their annotations, since most of those are optional. */
final class EntryPoints {

    /** {@code EventListener}, {@code RabbitListener}, {@code KafkaHandler}, {@code RequestMapping}, {@code Scheduled}. */
    private static final Pattern CALLED_BY_FRAMEWORK =
            Pattern.compile(".*(Listener|Handler|Mapping|Scheduled|Activator)");

    private static final Set<String> BEFORE_PROXY = Set.of("PostConstruct", "PreDestroy");

    private static final Set<String> INITIALIZERS = Set.of(
            "org.springframework.beans.factory.InitializingBean.afterPropertiesSet",
            "org.springframework.beans.factory.DisposableBean.destroy");

    private EntryPoints() {}

    /** Returns whether a framework calls this method, whatever its visibility, through the proxy of its bean. */
    static boolean isEntryPoint(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(MergedAnnotation::getType)
                .map(Class::getSimpleName)
                .anyMatch(name -> CALLED_BY_FRAMEWORK.matcher(name).matches());
    }

    /** Returns whether Spring calls this method on the bean itself, before its proxy exists or past it. */
    static boolean isCalledPastProxy(Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            if (BEFORE_PROXY.contains(annotation.annotationType().getSimpleName())) {
                return true;
            }
        }
        Method declared = ClassUtils.getInterfaceMethodIfPossible(method, method.getDeclaringClass());
        return INITIALIZERS.contains(declared.getDeclaringClass().getName() + "." + declared.getName());
    }
}
