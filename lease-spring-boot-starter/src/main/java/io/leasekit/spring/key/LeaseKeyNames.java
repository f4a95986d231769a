package io.leasekit.spring.key;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Indexer;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;

/** Checks at startup that the parameters, beans and root properties in the expressions of a key exist. */
final class LeaseKeyNames {

    private static final Set<String> ROOT = Set.of("target", "method", "targetClass");
    private static final Set<String> ROOT_METHODS = Set.of("getTarget", "getMethod", "getTargetClass");
    private static final String ROOT_VARIABLE = "root";

    /** Names that {@code @Cacheable} offers in keys, each with the text to write instead in the key of a lease. */
    private static final Map<String, String> OF_CACHEABLE = Map.of(
            "methodName", "Write '#{method.name}'.",
            "getMethodName", "Write '#{method.name}'.",
            "args", "Write '#{#p0}' for the first argument.",
            "getArgs", "Write '#{#p0}' for the first argument.");

    private final BeanFactory beanFactory;
    private final Set<String> variables = new LinkedHashSet<>();
    private final boolean parametersAreNamed;

    LeaseKeyNames(Method method, ParameterNameDiscoverer parameterNames, BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        @Nullable String @Nullable [] names = parameterNames.getParameterNames(method);
        this.parametersAreNamed = names != null || method.getParameterCount() == 0;
        for (int i = 0; i < method.getParameterCount(); i++) {
            // Kotlin's discoverer returns no name for the last parameter of a suspending function, its continuation.
            String name = names == null || i >= names.length ? null : names[i];
            variables.addAll(name == null ? List.of("p" + i, "a" + i) : List.of(name, "p" + i, "a" + i));
        }
    }

    /**
     * With the literal text {@code #id}, all calls would have the same key, so the user probably meant
     * <code>#{#id}</code>.
     */
    void checkLiteral(String literal) {
        variables.forEach(
                variable -> refuseInLiteral(variable, literal, "Write it as an expression: '#{#" + variable + "}'."));
        refuseInLiteral(ROOT_VARIABLE, literal, "Write an expression, such as '#{method.name}' or '#{#p0}'.");
    }

    private static void refuseInLiteral(String variable, String literal, String fix) {
        if (Pattern.compile("#" + Pattern.quote(variable) + "\\b")
                .matcher(literal)
                .find()) {
            throw new InvalidLeaseKeyException(
                    "'#" + variable + "' is outside of '#{…}', where it is not evaluated", fix);
        }
    }

    void check(SpelNode expression) {
        check(expression, true, true);
    }

    // If 'onRoot' is true, names without an owner refer to the root object. If 'inner' is true, names without an owner
    // in the arguments of the node do so.
    private void check(SpelNode node, boolean onRoot, boolean inner) {
        checkNode(node, onRoot);
        boolean ofElements = node instanceof Projection || node instanceof Selection || node instanceof InlineMap;
        boolean arguments = node instanceof MethodReference || node instanceof Indexer;
        for (int i = 0; i < node.getChildCount(); i++) {
            SpelNode child = node.getChild(i);
            boolean mapKey = node instanceof Indexer && child instanceof PropertyOrFieldReference;
            boolean ofRoot = i == 1 && isRoot(node.getChild(0).toStringAST(), onRoot);
            boolean hasOwner = node instanceof CompoundExpression && i > 0 && !ofRoot;
            boolean childOnRoot = (arguments ? inner : onRoot) && !ofElements && !mapKey && !hasOwner;
            check(child, childOnRoot, inner && !ofElements);
        }
    }

    private static boolean isRoot(String variable, boolean onRoot) {
        return variable.equals("#" + ROOT_VARIABLE) || (onRoot && variable.equals("#this"));
    }

    private void checkNode(SpelNode node, boolean onRoot) {
        if (node instanceof VariableReference) {
            checkVariable(node.toStringAST());
        } else if (node instanceof FunctionReference) {
            throw unknown("function '" + node.toStringAST() + "'", "Call a method of a bean or of a parameter.");
        } else if (node instanceof BeanReference) {
            checkBean(node.toStringAST());
        } else if (onRoot && node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
            throw unknown("name '" + property.getName() + "'", fixForName(property.getName()));
        } else if (onRoot && node instanceof MethodReference call && !ROOT_METHODS.contains(call.getName())) {
            throw unknown(
                    "method '" + call.getName() + "'",
                    OF_CACHEABLE.getOrDefault(
                            call.getName(),
                            "Write the object that has the method, as in 'target." + call.getName() + "()'."));
        }
    }

    private void checkVariable(String variable) {
        String name = variable.substring(1);
        if (variables.contains(name) || name.equals("this") || name.equals(ROOT_VARIABLE)) {
            return;
        }
        if (!parametersAreNamed) {
            throw new InvalidLeaseKeyException(
                    "it uses the parameter '" + variable + "', but the class was compiled without parameter names",
                    "Compile with '-parameters', as Boot's Maven parent and Gradle plugin do, or write '#p0' for the"
                            + " first parameter.");
        }
        throw unknown(
                "variable '" + variable + "'",
                ROOT.contains(name) ? "Write '#{" + name + "}' without '#' before the name." : fixForName(name));
    }

    private void checkBean(String reference) {
        String name = reference.replaceFirst("^@", "").replace("'", "");
        if (name.matches("&+") || !beanFactory.containsBean(name)) { // Spring cannot look up '&' without a name
            throw unknown("bean '" + name + "'", "Correct the name, or define the bean.");
        }
    }

    private String fixForName(String name) {
        return variables.contains(name)
                ? "Write '#" + name + "' for the parameter."
                : OF_CACHEABLE.getOrDefault(name, "Correct the name. Known names are " + known() + ".");
    }

    private String known() {
        return variables.stream().map(name -> "'#" + name + "', ").collect(Collectors.joining())
                + "'target', 'method' and 'targetClass'";
    }

    private static InvalidLeaseKeyException unknown(String what, String fix) {
        return new InvalidLeaseKeyException("it uses the " + what + ", which does not exist", fix);
    }
}
