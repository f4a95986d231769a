package io.leasekit.spring;

import java.lang.reflect.Method;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAmount;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * A key of literal text, placeholders and expressions. Placeholders are resolved once, when the template is made, and
 * expressions once per call; what either yields is never parsed again.
 */
final class LeaseKeyTemplate implements LeaseKeyResolver {

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Class<?> targetClass;
    private final BeanResolver beans;
    private final List<Expression> parts;

    /**
     * Parses the template.
     *
     * @throws ParseException if an expression is none
     * @throws IllegalArgumentException if a placeholder has no value, or stands within an expression
     */
    LeaseKeyTemplate(String text, Method method, Class<?> targetClass, ConfigurableBeanFactory beanFactory) {
        this.method = method;
        this.targetClass = targetClass;
        this.beans = new BeanFactoryResolver(beanFactory);
        this.parts = parts(text).stream()
                .map(part -> withoutPlaceholders(part, beanFactory))
                .toList();
    }

    private static List<Expression> parts(String text) {
        Expression parsed = new SpelExpressionParser().parseExpression(text, new TemplateParserContext());
        return parsed instanceof CompositeStringExpression composite
                ? Arrays.asList(composite.getExpressions())
                : List.of(parsed);
    }

    private static Expression withoutPlaceholders(Expression part, ConfigurableBeanFactory beanFactory) {
        String text = part.getExpressionString();
        if (part instanceof LiteralExpression) {
            String resolved = beanFactory.resolveEmbeddedValue(text);
            return new LiteralExpression(resolved == null ? "" : resolved);
        }
        return part;
    }

    @Override
    public String resolve(@Nullable Object target, @Nullable Object[] arguments) {
        EvaluationContext context = context(target, arguments);
        StringBuilder key = new StringBuilder();
        for (Expression part : parts) {
            key.append(part instanceof LiteralExpression ? part.getExpressionString() : text(part, context));
        }
        return key.toString();
    }

    private EvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(
                new LeaseKeyRoot(target, method, targetClass), method, arguments, PARAMETER_NAMES);
        context.setBeanResolver(beans);
        return context;
    }

    private String text(Expression part, EvaluationContext context) {
        Object value = part.getValue(context);
        if (value == null) {
            throw failure(part, "is null");
        }
        if (!isSameTextEverywhere(value)) {
            throw failure(part, "is a " + value.getClass().getName());
        }
        return value.toString();
    }

    // anything else may print an identity hash, which would be another key in each process
    private static boolean isSameTextEverywhere(Object value) {
        return value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Enum
                || value instanceof UUID
                || value instanceof Temporal
                || value instanceof TemporalAmount
                || value.getClass().getPackageName().equals("java.time");
    }

    private IllegalStateException failure(Expression part, String seen) {
        return new IllegalStateException("The part '#{" + part.getExpressionString() + "}' of the lease key of '"
                + ClassUtils.getQualifiedMethodName(method, targetClass) + "' " + seen
                + ", expected a text, number, boolean, character, enum, UUID or java.time value");
    }
}
