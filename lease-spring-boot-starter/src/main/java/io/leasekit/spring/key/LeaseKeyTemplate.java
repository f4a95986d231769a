package io.leasekit.spring.key;

import io.leasekit.internal.Internal;
import io.leasekit.text.Text;
import java.beans.PropertyDescriptor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A key that consists of literal text, placeholders and expressions. Placeholders are resolved when the template is
 * created, and expressions are evaluated for each call. Thread-safe.
 */
@Internal
public final class LeaseKeyTemplate {

    /** An exception from a method of these packages counts as a mistake in the expression. */
    private static final List<String> HELPERS =
            List.of("java.", "jdk.", "org.springframework.core.", "org.springframework.util.");

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private static final Pattern BEAN = Pattern.compile("\\b(target|getTarget|root|this)\\b");

    /** SpEL's error codes for a property or method that a class does not have. */
    private static final Set<SpelMessage> MISSING =
            Set.of(SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE, SpelMessage.METHOD_NOT_FOUND);

    private static final String USABLE = "a text, number, boolean, character, enum, UUID or java.time value";

    private final String what;
    private final Method method;
    private final Class<?> targetClass;
    private final ConfigurableBeanFactory beanFactory;
    private final BeanResolver beans;
    private final List<Part> parts;

    /** An expression, or literal text if {@code expression} is {@code null}. */
    private record Part(String text, @Nullable SpelExpression expression) {}

    /** {@code what} is the name of the template in error messages, such as "key". */
    public LeaseKeyTemplate(
            String text, String what, Method method, Class<?> targetClass, ConfigurableBeanFactory beanFactory) {
        this.what = what;
        this.method = method;
        this.targetClass = targetClass;
        this.beanFactory = beanFactory;
        this.beans = new BeanFactoryResolver(beanFactory);
        LeaseKeyNames names = new LeaseKeyNames(method, PARAMETER_NAMES, beanFactory);
        this.parts = LeaseKeySyntax.parts(text).stream()
                .map(part -> part.expression() ? expression(part.text(), names) : literal(part.text(), names))
                .toList();
    }

    private static Part expression(String text, LeaseKeyNames names) {
        SpelExpression expression = new SpelExpressionParser().parseRaw(text);
        names.check(expression.getAST());
        return new Part(text, expression);
    }

    private Part literal(String text, LeaseKeyNames names) {
        names.checkLiteral(text);
        String resolved = beanFactory.resolveEmbeddedValue(text);
        return new Part(resolved == null ? "" : resolved, null);
    }

    /** Returns {@code null} if the template has an expression. */
    public @Nullable String constant() {
        return parts.stream().allMatch(part -> part.expression() == null)
                ? parts.stream().map(Part::text).collect(Collectors.joining())
                : null;
    }

    public boolean differsBetweenBeans() {
        return parts.stream()
                .anyMatch(part ->
                        part.expression() != null && BEAN.matcher(part.text()).find());
    }

    /** Returns the text with which the key of every call begins; may be empty. */
    public String begin() {
        return parts.stream()
                .takeWhile(part -> part.expression() == null)
                .map(Part::text)
                .collect(Collectors.joining());
    }

    /**
     * Each invocation evaluates all expressions, so callers invoke this method once for each call of the annotated
     * method.
     */
    public String resolve(@Nullable Object target, @Nullable Object[] arguments) {
        EvaluationContext context = context(target, arguments);
        StringBuilder key = new StringBuilder();
        for (Part part : parts) {
            SpelExpression expression = part.expression();
            key.append(expression == null ? part.text() : text(value(expression, context), part.text()));
        }
        return key.toString();
    }

    private EvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new LeaseKeyRoot(target, method, targetClass), method, arguments, PARAMETER_NAMES);
        context.setBeanResolver(beans);
        return context;
    }

    private @Nullable Object value(SpelExpression expression, EvaluationContext context) {
        try {
            return expression.getValue(context);
        } catch (RuntimeException e) {
            if (e instanceof EvaluationException || isOfOperator(e)) {
                throw failure(expression.getExpressionString(), "cannot be evaluated: " + Text.why(e) + known(e), e);
            }
            // A method of the application threw this exception, and callers may expect it.
            throw e;
        }
    }

    /** Lists the existing properties or methods if the expression uses a name that the class does not have. */
    private String known(RuntimeException failure) {
        @Nullable
        Object @Nullable [] inserts =
                failure instanceof SpelEvaluationException missing && MISSING.contains(missing.getMessageCode())
                        ? missing.getInserts()
                        : null;
        if (inserts == null) {
            return "";
        }
        boolean call = ((SpelEvaluationException) failure).getMessageCode() == SpelMessage.METHOD_NOT_FOUND;
        try {
            Class<?> type = ClassUtils.forName(String.valueOf(inserts[1]), targetClass.getClassLoader());
            if (Map.class.isAssignableFrom(type) && !call) {
                return " Write ['" + inserts[0] + "'] for an entry of a map";
            }
            String names = (call ? methods(type) : properties(type))
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining("', '"));
            return names.isEmpty() ? "" : (call ? ". Its methods" : " Its properties") + " are '" + names + "'";
        } catch (ClassNotFoundException | LinkageError e) {
            return "";
        }
    }

    private static Stream<String> methods(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class && !ReflectionUtils.isObjectMethod(method))
                .map(Method::getName);
    }

    private static Stream<String> properties(Class<?> type) {
        return Stream.of(
                        Stream.of(BeanUtils.getPropertyDescriptors(type))
                                .filter(property -> property.getReadMethod() != null)
                                .map(PropertyDescriptor::getName)
                                .filter(name -> !name.equals("class")),
                        Stream.ofNullable(type.getRecordComponents())
                                .flatMap(Stream::of)
                                .map(RecordComponent::getName),
                        Stream.of(type.getFields()).map(Field::getName))
                .flatMap(found -> found);
    }

    /** SpEL does not wrap exceptions of operators and JDK methods, so their stack traces identify them. */
    private static boolean isOfOperator(RuntimeException failure) {
        return Arrays.stream(failure.getStackTrace())
                .map(StackTraceElement::getClassName)
                .filter(name -> HELPERS.stream().noneMatch(name::startsWith))
                .findFirst()
                .filter(name -> name.startsWith("org.springframework.expression."))
                .isPresent();
    }

    private String text(@Nullable Object value, String part) {
        if (value == null) {
            throw unusable(part, "is null");
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        if (!isSameTextEverywhere(value)) {
            throw unusable(part, "is a " + value.getClass().getName());
        }
        return value.toString();
    }

    // toString() of all other types may contain an identity hash, so the key would differ between processes
    private static boolean isSameTextEverywhere(Object value) {
        return value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof UUID
                || value.getClass().getPackageName().startsWith("java.time");
    }

    private IllegalStateException unusable(String part, String seen) {
        return failure(part, seen + ", expected " + USABLE, null);
    }

    private IllegalStateException failure(String part, String problem, @Nullable Throwable cause) {
        return new IllegalStateException(
                "The part '#{" + part + "}' of the " + what + " of '"
                        + ClassUtils.getQualifiedMethodName(method, targetClass) + "' " + problem,
                cause);
    }
}
