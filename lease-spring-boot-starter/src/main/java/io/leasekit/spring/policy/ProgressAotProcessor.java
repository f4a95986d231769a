package io.leasekit.spring.policy;

import io.leasekit.Progress;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Registers hints for native images, because Jackson reads and creates the values of progress by reflection. */
final class ProgressAotProcessor implements BeanRegistrationAotProcessor {

    private static final BindingReflectionHintsRegistrar PROPERTIES = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Collection<ResolvableType> values = MethodIntrospector.selectMethods(
                        type, (Method method) -> value(method, type))
                .values();
        return values.isEmpty()
                ? null
                : (generation, code) -> register(generation.getRuntimeHints().reflection(), values);
    }

    private static void register(ReflectionHints hints, Collection<ResolvableType> values) {
        // ProgressReader looks up the mapper classes by name.
        for (String mapper : List.of(ProgressReader.MAPPER_3, ProgressReader.MAPPER_2)) {
            hints.registerTypeIfPresent(ProgressAotProcessor.class.getClassLoader(), mapper, hint -> {});
        }
        values.forEach(value -> PROPERTIES.registerReflectionHints(hints, value.getType()));
    }

    private static @Nullable ResolvableType value(Method method, Class<?> type) {
        int index = Arrays.asList(method.getParameterTypes()).indexOf(Progress.class);
        ResolvableType value = index < 0 ? ResolvableType.NONE : ProgressReader.value(method, index, type);
        Class<?> raw = value.resolve();
        return raw == null || ProgressReader.isSimple(raw) ? null : value;
    }
}
