package io.leasekit.spring.key;

import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;

/**
 * Hints for native images: an expression reads a parameter's properties and calls its methods by reflection. Types that
 * are reached by the properties of a parameter are included. Beans in expressions are not included: the application
 * must register a hint for their class.
 */
@Internal
public final class LeaseKeyHints {

    private static final BindingReflectionHintsRegistrar PROPERTIES = new BindingReflectionHintsRegistrar();

    private LeaseKeyHints() {}

    /** Registers the types that the expressions of a method's key can see. */
    public static void register(ReflectionHints hints, Method method, Class<?> targetClass) {
        callable(hints, LeaseKeyRoot.class);
        callable(hints, targetClass);
        Arrays.stream(method.getGenericParameterTypes()).forEach(type -> register(hints, type));
    }

    private static void register(ReflectionHints hints, Type type) {
        Class<?> raw = ResolvableType.forType(type).resolve(Object.class);
        if (!raw.isPrimitive()) {
            PROPERTIES.registerReflectionHints(hints, type);
            callable(hints, raw);
        }
    }

    private static void callable(ReflectionHints hints, Class<?> type) {
        hints.registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
