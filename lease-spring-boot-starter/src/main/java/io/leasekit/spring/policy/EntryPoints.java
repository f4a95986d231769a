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
 * Methods that a framework calls, such as event listeners. Entry points are recognised by the names of their
 * annotations, because most frameworks are optional dependencies.
 */
@Internal
public final class EntryPoints {

    private static final Predicate<String> CALLED_BY_FRAMEWORK =
            Pattern.compile(".*(Listener|Handler|Mapping|Scheduled|Activator)").asMatchPredicate();

    /**
     * For these annotations, frameworks call the method on the object that their bean post-processor received, perhaps
     * without a proxy. Names that end in {@code Mapping} do not match, because their frameworks look up the bean at
     * each call.
     */
    private static final Predicate<String> TAKES_OBJECT =
            Pattern.compile(".*(Listener|Handler|Scheduled|Activator)").asMatchPredicate();

    private EntryPoints() {}

    static boolean isEntryPoint(Method method) {
        return framework(method) != null;
    }

    /** Returns whether a framework may call this method on a bean without the bean's proxy. */
    public static boolean takesObject(Method method) {
        // For each event, Spring looks up the proxy of the bean with the @EventListener.
        return isOfApplicationListener(method)
                || (annotations(method).anyMatch(TAKES_OBJECT)
                        && annotations(method).noneMatch("EventListener"::equals));
    }

    private static boolean isOfApplicationListener(Method method) {
        return method.getName().equals("onApplicationEvent")
                && ApplicationListener.class.isAssignableFrom(method.getDeclaringClass());
    }

    /** Returns the simple name of the annotation that makes a framework call the method, if there is one. */
    public static @Nullable String framework(Method method) {
        return annotations(method).filter(CALLED_BY_FRAMEWORK).findFirst().orElse(null);
    }

    private static Stream<String> annotations(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream()
                .map(MergedAnnotation::getType)
                .map(Class::getSimpleName);
    }
}
