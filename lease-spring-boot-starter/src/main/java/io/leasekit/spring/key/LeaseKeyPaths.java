package io.leasekit.spring.key;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;
import org.springframework.util.ClassUtils;

/**
 * Follows the properties of a parameter in an expression, such as {@code #order.customer.id}, and a method after them, as far as
 * the types are known. A name that does not exist is refused where the type is final, because every call would fail. Where
 * an argument may be of a subclass that has it, it is a warning; where the type is abstract, nothing is said.
 */
final class LeaseKeyPaths {

    private static final Logger log = LoggerFactory.getLogger(LeaseKeyPaths.class);

    private final Map<String, ResolvableType> parameters;
    private final Method method;
    private final Class<?> targetClass;

    LeaseKeyPaths(Map<String, ResolvableType> parameters, Method method, Class<?> targetClass) {
        this.parameters = parameters;
        this.method = method;
        this.targetClass = targetClass;
    }

    /**
     * Checks a path.
     *
     * @throws InvalidLeaseKeyException if the type of a parameter or of its property is final and has not the name
     */
    void check(CompoundExpression path) {
        ResolvableType type = path.getChild(0) instanceof VariableReference variable
                ? parameters.get(variable.toStringAST().substring(1))
                : null;
        for (int i = 1; i < path.getChildCount() && type != null && isFollowed(type); i++) {
            type = next(type, path.getChild(i), path);
        }
    }

    // what Optional contains is read by '?.' in newer versions of Spring
    private static boolean isFollowed(ResolvableType type) {
        Class<?> raw = type.resolve();
        return raw != null && raw != Object.class && raw != Optional.class && raw != Class.class && !raw.isArray();
    }

    private @Nullable ResolvableType next(ResolvableType type, SpelNode node, CompoundExpression path) {
        Class<?> raw = ClassUtils.resolvePrimitiveIfNecessary(type.resolve(Object.class));
        if (node instanceof PropertyOrFieldReference property) {
            ResolvableType found = Members.property(property.getName(), raw, type);
            return found != null ? found : missing("property", property.getName(), raw, path);
        }
        if (node instanceof MethodReference call
                && Arrays.stream(raw.getMethods()).noneMatch(it -> it.getName().equals(call.getName()))) {
            return missing("method", call.getName(), raw, path);
        }
        return null; // which overload, element or value it is depends on the call
    }

    private @Nullable ResolvableType missing(String what, String name, Class<?> type, CompoundExpression path) {
        String problem = "the " + what + " '" + name + "' of '" + path.toStringAST() + "'";
        String known = Members.of(type);
        String fix = "Correct the name."
                + (known.isEmpty() ? "" : " Known properties of '" + type.getSimpleName() + "' are " + known + ".");
        if (Modifier.isFinal(type.getModifiers())) {
            throw new InvalidLeaseKeyException(
                    "it uses " + problem + ", which the class '" + type.getName() + "' does not have", fix);
        }
        if (!Modifier.isAbstract(type.getModifiers())) {
            log.warn(
                    "A lease key of '{}' uses {}, which the class '{}' does not have. Calls fail unless the argument is"
                            + " of a subclass that has it. {}",
                    ClassUtils.getQualifiedMethodName(method, targetClass),
                    problem,
                    type.getName(),
                    fix);
        }
        return null;
    }

    /** The properties of types, by the rules of the expression language. */
    private static final class Members extends ReflectivePropertyAccessor {

        private static final Members RULES = new Members();

        static @Nullable ResolvableType property(String name, Class<?> type, ResolvableType declared) {
            Method getter = RULES.findGetterForProperty(name, type, false);
            if (getter != null) {
                return ResolvableType.forType(getter.getGenericReturnType(), declared.as(getter.getDeclaringClass()));
            }
            Field field = RULES.findField(name, type, false);
            return field == null
                    ? null
                    : ResolvableType.forType(field.getGenericType(), declared.as(field.getDeclaringClass()));
        }

        static String of(Class<?> type) {
            Set<String> names = new TreeSet<>();
            for (Method getter : type.getMethods()) {
                String name = getter.getName().replaceFirst("^(get|is)(?=\\p{Lu})", "");
                boolean hasPrefix = name.length() < getter.getName().length();
                boolean isComponent = type.isRecord()
                        && Stream.of(type.getRecordComponents())
                                .anyMatch(component -> component.getAccessor().equals(getter));
                if (getter.getParameterCount() == 0
                        && getter.getDeclaringClass() != Object.class
                        && !Modifier.isStatic(getter.getModifiers())
                        && (hasPrefix || isComponent)) {
                    names.add(Character.toLowerCase(name.charAt(0)) + name.substring(1));
                }
            }
            Arrays.stream(type.getFields())
                    .filter(field -> !Modifier.isStatic(field.getModifiers()))
                    .forEach(field -> names.add(field.getName()));
            return names.stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
        }
    }
}
