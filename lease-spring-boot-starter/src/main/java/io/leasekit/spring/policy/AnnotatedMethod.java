package io.leasekit.spring.policy;

import io.leasekit.Progress;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.key.InvalidLeaseKeyException;
import io.leasekit.spring.key.LeaseKeyTemplate;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.ParseException;
import org.springframework.util.ClassUtils;
import org.springframework.util.PlaceholderResolutionException;

/**
 * An annotated method, from which {@link LeasePolicyReader} reads a policy. Several annotations on one method differ
 * only in the key, so all other attributes are read from the first annotation.
 *
 * @param method the method as declared by its class, or by the interface of a JDK proxy or lambda
 * @param targetClass the class that the user wrote; the interface for a JDK proxy or lambda
 */
record AnnotatedMethod(
        Method method,
        Class<?> targetClass,
        List<MergedAnnotation<DistributedLease>> annotations,
        ConfigurableBeanFactory beanFactory) {

    private static final Set<String> KEYS = Set.of("key", "value");

    static AnnotatedMethod of(
            Method method,
            Class<?> targetClass,
            List<MergedAnnotation<DistributedLease>> annotations,
            ConfigurableBeanFactory beanFactory) {
        UserMethod found = UserMethod.of(method, targetClass, DistributedLease.class);
        return new AnnotatedMethod(found.method(), found.type(), annotations, beanFactory);
    }

    String qualifiedName() {
        return ClassUtils.getQualifiedMethodName(method, targetClass);
    }

    /** Returns the names of the class and the method, as one text that is the same in all processes. */
    String stableName() {
        return targetClass.getName() + "." + method.getName();
    }

    String written(String attribute) {
        return texts().written(attribute);
    }

    String text(String attribute) {
        return texts().text(attribute);
    }

    AnnotationTexts<DistributedLease> texts() {
        return new AnnotationTexts<>(method, targetClass, annotations.get(0), beanFactory);
    }

    <E extends Enum<E>> E choice(String attribute, Class<E> type) {
        return annotations.get(0).getEnum(attribute, type);
    }

    boolean isResumable() {
        return annotations.get(0).getBoolean("resumable");
    }

    String resumableBy() {
        return hasProgressParameter() ? "it has a parameter of type Progress" : "resumable is set";
    }

    boolean hasProgressParameter() {
        return LeaseParameters.count(method, Progress.class) > 0;
    }

    LeaseKeyTemplate template(String text, String what) {
        return new LeaseKeyTemplate(text, what, method, targetClass, beanFactory);
    }

    /** If {@code reading} fails, throws an exception that names the annotated method, the attribute and the fix. */
    <T> T read(String attribute, String text, String fix, Supplier<T> reading) {
        String problem = attribute + " '" + text + "' cannot be read: ";
        try {
            return reading.get();
        } catch (InvalidLeaseKeyException e) {
            throw invalid(problem + e.getMessage(), e.fix(), e);
        } catch (PlaceholderResolutionException e) {
            throw invalid(
                    problem + e.getMessage(),
                    "Set the property. Or write '#{#name}' for a parameter of the method.",
                    e);
        } catch (ParseException | IllegalArgumentException e) {
            throw invalid(problem + e.getMessage(), fix, e);
        }
    }

    void refuseDifferentPolicies() {
        List<String> attributes = Arrays.stream(DistributedLease.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !KEYS.contains(name))
                .sorted()
                .toList();
        for (MergedAnnotation<DistributedLease> other : annotations) {
            attributes.forEach(attribute -> refuseDifferent(attribute, other));
        }
    }

    private void refuseDifferent(String attribute, MergedAnnotation<DistributedLease> other) {
        String one = shown(annotations.get(0), attribute);
        String another = shown(other, attribute);
        if (!one.equals(another)) {
            throw invalid(
                    "its annotations differ in '" + attribute + "': '" + one + "' and '" + another
                            + "', but they form one lease",
                    "Set '" + attribute + "' to the same value in all of them.");
        }
    }

    private static String shown(MergedAnnotation<DistributedLease> annotation, String attribute) {
        return annotation.getValue(attribute).map(String::valueOf).orElse("");
    }

    InvalidLeaseMethodException invalid(String problem, String fix) {
        return invalid(problem, fix, null);
    }

    InvalidLeaseMethodException invalid(String problem, String fix, @Nullable Throwable cause) {
        return texts().invalid(problem, fix, cause);
    }
}
