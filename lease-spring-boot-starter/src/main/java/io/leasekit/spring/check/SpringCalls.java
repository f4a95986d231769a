package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/** Recognizes methods that Spring calls on the bean itself, not on its proxy, and methods that create other beans. */
@Internal
public final class SpringCalls {

    private static final Set<String> LIFECYCLE = Set.of("PostConstruct", "PreDestroy");
    private static final Set<String> INJECTION = Set.of("Autowired", "Inject", "Resource", "Value");

    private final Class<?> type;
    private final Set<String> initMethods;
    private final Set<String> destroyMethods;

    SpringCalls(RootBeanDefinition definition, Class<?> type) {
        this.type = type;
        this.initMethods = names(definition.getInitMethodNames());
        this.destroyMethods = destroyMethods(definition, type);
    }

    /**
     * Includes destroy methods that Spring infers from the bean's type. Returns none for prototypes, which Spring does
     * not destroy.
     */
    private static Set<String> destroyMethods(RootBeanDefinition definition, Class<?> type) {
        if (definition.isPrototype()) {
            return Set.of();
        }
        RootBeanDefinition ofType = definition.cloneBeanDefinition();
        ofType.setTargetType(type);
        ofType.resolveDestroyMethodIfNecessary();
        return names(ofType.getDestroyMethodNames());
    }

    /** Returns simple names, because AOT processing registers private methods by qualified names. */
    private static Set<String> names(@Nullable String @Nullable [] names) {
        return names == null
                ? Set.of()
                : Arrays.stream(names)
                        .filter(Objects::nonNull)
                        .map(ClassUtils::getShortName)
                        .map(name -> name.substring(name.lastIndexOf('.') + 1))
                        .collect(Collectors.toSet());
    }

    boolean isMaker(Method method) {
        return isMaker(method, type);
    }

    public static boolean isMaker(Method method, Class<?> type) {
        return MergedAnnotations.from(method).isPresent(Bean.class)
                || isOf(FactoryBean.class, method, type)
                || (FactoryBean.class.isAssignableFrom(type) && method.getName().equals("createInstance"));
    }

    boolean isLifecycle(Method method) {
        return hasAny(method, LIFECYCLE)
                || isOf(InitializingBean.class, method, type)
                || isOf(DisposableBean.class, method, type)
                || definitionRole(method) != null;
    }

    boolean isInjection(Method method) {
        return hasAny(method, INJECTION) || isOf(Aware.class, method, type);
    }

    @Nullable
    String definitionRole(Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length == 0 && initMethods.contains(method.getName())) {
            return "the init method of the bean's definition";
        }
        boolean destroys = parameters.length == 0 || (parameters.length == 1 && parameters[0] == boolean.class);
        return destroys && destroyMethods.contains(method.getName())
                ? "the destroy method of the bean's definition or type"
                : null;
    }

    private static boolean hasAny(Method method, Set<String> names) {
        for (Annotation annotation : method.getAnnotations()) {
            if (names.contains(annotation.annotationType().getSimpleName())) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the method implements a method of the Spring interface {@code sort} or of its subinterfaces. */
    private static boolean isOf(Class<?> sort, Method method, Class<?> type) {
        return sort.isAssignableFrom(type)
                && ((type.isInterface() && declares(type, method))
                        || supertypes(type).anyMatch(supertype -> isOf(sort, method, supertype)));
    }

    private static Stream<Class<?>> supertypes(Class<?> type) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
    }

    private static boolean declares(Class<?> type, Method method) {
        Method declared = ClassUtils.getMethodIfAvailable(type, method.getName(), method.getParameterTypes());
        return declared != null && declared.getDeclaringClass().getName().startsWith("org.springframework.");
    }
}
