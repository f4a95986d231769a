package io.leasekit.spring.leader;

import io.leasekit.Lease;
import io.leasekit.Progress;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.EntryPoints;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Rules for the signature of a leader's method. */
final class LeaderMethodRules {

    /** Annotations by which it would return before its work has ended, and that of another lease. */
    private static final Set<String> OTHERS = Set.of("Async", "Asynchronous", "DistributedLease");

    private static final Set<Class<?>> PARAMETERS = Set.of(Lease.class, Progress.class);

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

    /** @throws InvalidLeaseMethodException if the method breaks a rule */
    static void check(Method method, Class<?> type) {
        LeaderMethodRules rules = new LeaderMethodRules(method, type);
        rules.refuseFinal();
        rules.refuseResult();
        rules.refuseParameters();
        rules.refuseOtherCallers();
    }

    private void refuseFinal() {
        String another = "or move the method to another bean.";
        refuse(
                Modifier.isFinal(type.getModifiers()),
                "the class is " + (type.isRecord() ? "a record, which is final" : "final")
                        + ", so no proxy can keep other callers from the method",
                "Remove 'final' from the class (in Kotlin, declare class and method as 'open'), " + another);
        for (String modifier : new String[] {"private", "static", "final"}) {
            refuse(
                    Stream.of(Modifier.toString(method.getModifiers()).split(" "))
                            .anyMatch(modifier::equals),
                    "the method is " + modifier + ", so no proxy can keep other callers from it",
                    "Remove '" + modifier + "', " + another);
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
        Stream<String> others = Stream.concat(annotations(method).stream(), asyncOfType())
                .map(annotation -> annotation.getType().getSimpleName())
                .filter(OTHERS::contains);
        Stream.concat(others, Stream.ofNullable(EntryPoints.framework(method)))
                .findFirst()
                .ifPresent(name -> refuse(
                        true,
                        "it also has @" + name + ", but only its election may call it, on a thread of its own",
                        "Remove @" + name + ", or move its work to another method."));
    }

    private Stream<MergedAnnotation<?>> asyncOfType() {
        return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream()
                .filter(annotation -> ASYNCHRONOUS.contains(annotation.getType().getSimpleName()))
                .map(annotation -> annotation);
    }

    private void refuse(boolean wrong, String problem, String fix) {
        if (wrong) {
            throw new InvalidLeaseMethodException(LeaderOnly.class, method, type, problem, fix, null);
        }
    }
}
