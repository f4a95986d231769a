package io.leasekit.spring.policy;

import java.lang.reflect.Method;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;

/**
 * Finds out whether the result of a Kotlin function can be {@code null}. Without {@code kotlin-reflect}, it is unknown
 * whether a result can be {@code null}.
 */
final class KotlinResult {

    private KotlinResult() {}

    /** Returns false for a function that returns {@code Unit}, because the function has no value. */
    static boolean isNonNull(Method method) {
        if (!KotlinDetector.isKotlinReflectPresent() || !KotlinDetector.isKotlinType(method.getDeclaringClass())) {
            return false;
        }
        MethodParameter result = new MethodParameter(method, -1);
        String type = result.getParameterType().getName();
        return !type.equals("void") && !type.equals("kotlin.Unit") && !result.isOptional();
    }
}
