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
 * Registers hints for native images, because expressions use the properties and methods of parameters by reflection.
 * The application must register hints for the classes of beans in expressions.
 */
@Internal
public final class LeaseKeyHints {

    private static final BindingReflectionHintsRegistrar PROPERTIES = new BindingReflectionHintsRegistrar();

    private LeaseKeyHints() {}

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
