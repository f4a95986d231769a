package io.leasekit.spring.policy;

import io.leasekit.Progress;
import io.leasekit.ProgressCodec;
import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** Finds the codec of the values that a method saves in its parameter of type {@link Progress}. */
@Internal
public final class ProgressReader {

    private static final Map<Class<?>, ProgressCodec<?>> SIMPLE = Map.of(
            String.class, ProgressCodec.text(),
            byte[].class, ProgressCodec.bytes(),
            Integer.class, ProgressCodec.integers(),
            Long.class, ProgressCodec.longs());

    static final String MAPPER_3 = "tools.jackson.databind.json.JsonMapper";
    static final String MAPPER_2 = "com.fasterxml.jackson.databind.json.JsonMapper";

    private static final boolean JACKSON_3 = isPresent(MAPPER_3);
    private static final boolean JACKSON_2 = isPresent(MAPPER_2);

    private final AnnotationTexts<?> annotated;

    public ProgressReader(AnnotationTexts<?> annotated) {
        this.annotated = annotated;
    }

    /** Returns {@code null} if the method has no parameter of type {@code Progress}. */
    public @Nullable ProgressCodec<?> codec() {
        Method method = annotated.method();
        int index = Arrays.asList(method.getParameterTypes()).indexOf(Progress.class);
        if (index < 0) {
            return null;
        }
        ResolvableType value = value(method, index, annotated.type());
        Class<?> raw = value.resolve();
        if (raw == null || value.getType() instanceof WildcardType) {
            throw annotated.invalid(
                    "it has a parameter of type Progress without the type of its values, expected one such as"
                            + " Progress<String>",
                    "Name the type of the values.",
                    null);
        }
        return codec(value, raw);
    }

    /** Returns a type that resolves to no class if {@code Progress} has no type argument. */
    static ResolvableType value(Method method, int index, Class<?> type) {
        return ResolvableType.forMethodParameter(method, index, type).getGeneric(0);
    }

    static boolean isSimple(Class<?> type) {
        return SIMPLE.containsKey(type);
    }

    private ProgressCodec<?> codec(ResolvableType value, Class<?> raw) {
        ProgressCodec<?> found = bean(value);
        if (found == null) {
            found = SIMPLE.get(raw);
        }
        if (found == null) {
            found = json(value.hasGenerics() ? value.getType() : raw);
        }
        if (found == null) {
            throw annotated.invalid(
                    "it has a parameter of type Progress<" + value
                            + ">, but nothing encodes its values: expected a bean of type ProgressCodec<" + value
                            + ">, or Jackson",
                    "Define the bean, add Jackson to the class path, or save a String, byte[], Integer or Long.",
                    null);
        }
        return found;
    }

    private @Nullable ProgressCodec<?> bean(ResolvableType value) {
        ResolvableType wanted = ResolvableType.forClassWithGenerics(ProgressCodec.class, value);
        try {
            return annotated
                    .beanFactory()
                    .<ProgressCodec<?>>getBeanProvider(wanted)
                    .getIfAvailable();
        } catch (NoUniqueBeanDefinitionException e) {
            throw annotated.invalid(
                    "it has a parameter of type Progress<" + value + ">, and " + e.getNumberOfBeansFound()
                            + " beans of type ProgressCodec<" + value + ">, expected one",
                    "Remove the others, or make one of them @Primary.",
                    e);
        }
    }

    private @Nullable ProgressCodec<?> json(Type type) {
        BeanFactory beans = annotated.beanFactory();
        try {
            ProgressCodec<?> ofBean = JACKSON_3 ? Jackson3Codec.ofBean(type, beans) : null;
            if (ofBean == null && JACKSON_2) {
                ofBean = Jackson2Codec.ofBean(type, beans);
            }
            if (ofBean != null) {
                return ofBean;
            }
        } catch (NoUniqueBeanDefinitionException e) {
            throw annotated.invalid(
                    "the values of its parameter of type Progress are encoded as JSON, but there are several beans for that: "
                            + e.getMessage(),
                    "Make one of them @Primary, or define a bean of type ProgressCodec for the values.",
                    e);
        }
        return JACKSON_3 ? Jackson3Codec.of(type) : JACKSON_2 ? Jackson2Codec.of(type) : null;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, ProgressReader.class.getClassLoader());
    }
}
