package io.leasekit.spring.policy;

import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Reports a final class with annotated methods, for which Spring cannot create a proxy. */
final class FinalClassFailureAnalyzer extends AbstractFailureAnalyzer<AopConfigException> {

    private static final Pattern CLASS = Pattern.compile("Could not generate CGLIB subclass of class ([\\w.$]+)");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AopConfigException cause) {
        Class<?> type = finalClass(String.valueOf(cause.getMessage()));
        if (type == null || !isAnnotated(type)) {
            return null;
        }
        String kind = type.isRecord() ? "a record, which is final" : "final";
        String fix = KotlinDetector.isKotlinType(type)
                ? "Declare the class and the method as 'open', or use the compiler plugin 'kotlin-spring'."
                : "Remove 'final' from the class, or move the method to another bean.";
        return new FailureAnalysis(
                "@DistributedLease on methods of '" + type.getName() + "': the class is " + kind
                        + ", so no proxy can guard them and they would run without a lease",
                fix,
                cause);
    }

    private static @Nullable Class<?> finalClass(String message) {
        Matcher matcher = CLASS.matcher(message);
        if (!matcher.find() || !ClassUtils.isPresent(matcher.group(1), ClassUtils.getDefaultClassLoader())) {
            return null;
        }
        Class<?> type = ClassUtils.resolveClassName(matcher.group(1), ClassUtils.getDefaultClassLoader());
        return Modifier.isFinal(type.getModifiers()) ? type : null;
    }

    private static boolean isAnnotated(Class<?> type) {
        return AnnotationUtils.isCandidateClass(type, DistributedLease.class)
                && Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                        .anyMatch(method -> LeaseAnnotations.isPresent(method, type));
    }
}
