package io.leasekit.spring.leader;

import io.leasekit.Lease;
import io.leasekit.Progress;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.EntryPoints;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.UnguardableMethods;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Rules for the signature of a method with {@code LeaderOnly}. */
final class LeaderMethodRules {

    private static final Set<Class<?>> PARAMETERS = Set.of(Lease.class, Progress.class);

    /** Annotations that make a method return before its work has ended. */
    private static final Set<String> ASYNCHRONOUS = Set.of("Async", "Asynchronous");

    private final Method method;
    private final Class<?> type;

    private LeaderMethodRules(Method method, Class<?> type) {
        this.method = method;
        this.type = type;
    }

    static boolean isAnnotated(Method method) {
        return annotations(method).isPresent(LeaderOnly.class);
    }

    static MergedAnnotations annotations(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    }

    static void check(Method method, Class<?> type) {
        LeaderMethodRules rules = new LeaderMethodRules(method, type);
        rules.refuseUnguardable();
        rules.refuseResult();
        rules.refuseParameters();
        rules.refuseOtherCallers();
    }

    private void refuseUnguardable() {
        String hindrance = UnguardableMethods.hindrance(method, type);
        if (hindrance != null) {
            refuse(
                    true,
                    "the method is " + hindrance + ", so no proxy can keep other callers from it",
                    UnguardableMethods.fix(hindrance, type));
        }
    }

    private void refuseResult() {
        refuse(
                method.getReturnType() != void.class,
                "its result of type '" + method.getReturnType().getName()
                        + "' would be ignored, and the lease is released when it returns",
                "Declare it as 'void', and return when the work has ended.");
    }

    private void refuseParameters() {
        List<Class<?>> given = List.of(method.getParameterTypes());
        refuse(
                !PARAMETERS.containsAll(given) || Set.copyOf(given).size() < given.size(),
                "it has "
                        + (given.size() == 1
                                ? "a parameter of type '" + given.get(0).getName() + "'"
                                : given.size() + " parameters")
                        + ", expected at most one of type '" + Lease.class.getName() + "' and one of type '"
                        + Progress.class.getName() + "'",
                "Remove the other parameters, and inject what the method needs into its bean.");
    }

    private void refuseOtherCallers() {
        Stream<String> asynchronous = Stream.<AnnotatedElement>of(method, type)
                .flatMap(element -> MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).stream())
                .map(annotation -> annotation.getType().getSimpleName())
                .filter(ASYNCHRONOUS::contains);
        Stream.concat(asynchronous, Stream.ofNullable(EntryPoints.framework(method)))
                .findFirst()
                .ifPresent(name -> refuse(
                        true,
                        "it also has @" + name + ", but only its election may call it, on a thread of its own",
                        "Remove @" + name + ", or move its work to another method."));
    }

    private void refuse(boolean wrong, String problem, String fix) {
        if (wrong) {
            throw new InvalidLeaseMethodException(LeaderOnly.class, method, type, problem, fix, null);
        }
    }
}
