package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationListener;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Methods that a framework calls, such as event listeners. A method is recognised by the name of its annotation,
 * because most annotations of frameworks belong to optional dependencies.
 */
@Internal
public final class EntryPoints {

    /**
     * Matches annotation names such as {@code EventListener}, {@code RabbitListener}, {@code KafkaHandler},
     * {@code RequestMapping} and {@code Scheduled}.
     */
    private static final Predicate<String> CALLED_BY_FRAMEWORK =
            Pattern.compile(".*(Listener|Handler|Mapping|Scheduled|Activator)").asMatchPredicate();

    /**
     * Matches the names of annotations whose bean post-processor keeps the object that it receives. The framework calls
     * the annotated method on the kept object. Names that end in {@code Mapping} do not match, because their frameworks
     * look up the bean at each call.
     */
    private static final Predicate<String> TAKES_OBJECT =
            Pattern.compile(".*(Listener|Handler|Scheduled|Activator)").asMatchPredicate();

    private EntryPoints() {}

    /** Returns whether a framework calls this method through the proxy of its bean. The method need not be public. */
    static boolean isEntryPoint(Method method) {
        return framework(method) != null;
    }

    /**
     * Returns whether a framework may call this method on the object that the framework's bean post-processor has
     * received, which may be the bean without its proxy. Returns false if the framework looks up the bean at each call.
     */
    public static boolean takesObject(Method method) {
        return isOfApplicationListener(method)
                || (annotations(method).anyMatch(TAKES_OBJECT)
                        && annotations(method).noneMatch("EventListener"::equals)); // Spring looks up the bean
    }

    private static boolean isOfApplicationListener(Method method) {
        return method.getName().equals("onApplicationEvent")
                && ApplicationListener.class.isAssignableFrom(method.getDeclaringClass());
    }

    /**
     * Returns the simple name of the annotation that makes a framework call the method; {@code null} if there is no
     * such annotation.
     */
    public static @Nullable String framework(Method method) {
        return annotations(method).filter(CALLED_BY_FRAMEWORK).findFirst().orElse(null);
    }

    private static Stream<String> annotations(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(MergedAnnotation::getType)
                .map(Class::getSimpleName);
    }
}
