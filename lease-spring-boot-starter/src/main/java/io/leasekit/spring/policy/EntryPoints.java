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

/** Methods that a framework calls, recognised by the names of their annotations, since most of those are optional. */
@Internal
public final class EntryPoints {

    /** {@code EventListener}, {@code RabbitListener}, {@code KafkaHandler}, {@code RequestMapping}, {@code Scheduled}. */
    private static final Predicate<String> CALLED_BY_FRAMEWORK =
            Pattern.compile(".*(Listener|Handler|Mapping|Scheduled|Activator)").asMatchPredicate();

    /** Annotations whose post-processors take the object that they get; some are also annotated with a {@code Mapping}. */
    private static final Predicate<String> TAKES_OBJECT =
            Pattern.compile(".*(Listener|Handler|Scheduled|Activator)").asMatchPredicate();

    private EntryPoints() {}

    /** Returns whether a framework calls this method, whatever its visibility, through the proxy of its bean. */
    static boolean isEntryPoint(Method method) {
        return framework(method) != null;
    }

    /**
     * Returns whether a framework may call this method on the object that a bean post-processor gets, and not on the bean
     * that it looks up at each call.
     */
    public static boolean takesObject(Method method) {
        return isOfApplicationListener(method)
                || (annotations(method).anyMatch(TAKES_OBJECT)
                        && annotations(method).noneMatch("EventListener"::equals)); // Spring looks up its bean
    }

    private static boolean isOfApplicationListener(Method method) {
        return method.getName().equals("onApplicationEvent")
                && ApplicationListener.class.isAssignableFrom(method.getDeclaringClass());
    }

    /** Returns the simple name of the annotation by which a framework calls the method; {@code null} if there is none. */
    public static @Nullable String framework(Method method) {
        return annotations(method).filter(CALLED_BY_FRAMEWORK).findFirst().orElse(null);
    }

    private static Stream<String> annotations(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(MergedAnnotation::getType)
                .map(Class::getSimpleName);
    }
}
