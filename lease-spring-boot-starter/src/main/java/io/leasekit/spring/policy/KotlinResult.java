package io.leasekit.spring.policy;

import java.lang.reflect.Method;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;

/** Nullness of the results of Kotlin functions. Needs {@code kotlin-reflect}, which Kotlin applications on Spring have. */
final class KotlinResult {

    private KotlinResult() {}

    /** Returns whether the function is known to return a value other than {@code null}. {@code Unit} is no value. */
    static boolean isNonNull(Method method) {
        if (!KotlinDetector.isKotlinReflectPresent() || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
            return false;
        }
        MethodParameter result = new MethodParameter(method, -1);
        String type = result.getParameterType().getName();
        return !type.equals("void") && !type.equals("kotlin.Unit") && !result.isOptional();
    }
}
