package io.leasekit.spring.check;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.policy.ContainerMethods;
import io.leasekit.spring.policy.EntryPoints;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseAnnotations;
import io.leasekit.spring.policy.UnguardableMethods;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Finds lease annotations of a bean that have no effect, because Spring calls the bean itself, not its proxy. */
final class AnnotatedBean {

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(DistributedLease.class, LeaderOnly.class);

    private static final String ANNOTATE_PRODUCT = "Put the annotation on the class of the bean or on its methods";

    private final Class<?> type;
    private final String bean;
    private final SpringCalls calls;
    private final List<Method> methods;
    private final boolean annotatedType;
    private final Set<String> warnings = new LinkedHashSet<>();

    AnnotatedBean(RootBeanDefinition definition, Class<?> type, String bean) {
        this.type = type;
        this.bean = bean;
        this.calls = new SpringCalls(definition, type);
        this.methods = methods(type);
        this.annotatedType = isAnnotated(type, DistributedLease.class);
    }

    private static List<Method> methods(Class<?> type) {
        return List.of(ReflectionUtils.getAllDeclaredMethods(type)).stream()
                .filter(method -> !method.isSynthetic() && method.getDeclaringClass() != Object.class)
                .toList();
    }

    /** Returns an annotated method that a scheduler or listener container would call on an object of this class. */
    static Optional<Method> takingObject(Class<?> type) {
        return methods(type).stream()
                .filter(method -> EntryPoints.takesObject(method) && LeaseAnnotations.isPresent(method, type))
                .findFirst();
    }

    /** In a circular reference, other beans get the proxy, but Spring's post-processors get the bean itself. */
    static InvalidLeaseMethodException object(Method method, Class<?> type, String bean) {
        return new InvalidLeaseMethodException(
                DistributedLease.class,
                method,
                type,
                "Spring passes bean '" + bean
                        + "' without its proxy to the caller of this method, because the bean is part of a circular"
                        + " reference or was created too early, so the method would run without a lease",
                "Inject one of the beans of the circle with @Lazy, or move the method to another bean. Let bean"
                        + " post-processors depend on it only through ObjectProvider or @Lazy.",
                null);
    }

    /** Rejects an annotated method that creates a bean, such as a {@code @Bean} method. */
    static void refuseMaker(Method method, Class<?> type) {
        refuse(
                method,
                type,
                "the method creates a bean, and the annotation does not guard the calls of that bean",
                ANNOTATE_PRODUCT + ". In place of a lambda, write a class, or use the LeaseManager in the lambda.");
    }

    /** Returns one warning for each method of an annotated class that runs without a lease. */
    Set<String> check() {
        refuseFactoryBean();
        methods.forEach(this::check);
        if (annotatedType && !type.isInterface()) {
            UnguardableMethods.refuse(type, bean);
            refuseIfNothingIsGuarded();
        }
        return warnings;
    }

    private void check(Method method) {
        Method called = AopUtils.getMostSpecificMethod(method, type);
        if (calls.isMaker(method)) {
            refuseMaker(called, type);
            warnIf(
                    annotatedType,
                    called,
                    "' creates a bean whose calls run without a lease, although its class has @DistributedLease. "
                            + ANNOTATE_PRODUCT);
        } else if (calls.isLifecycle(method)) {
            refusePastProxy(called, calls.definitionRole(method));
            warnIf(
                    (LeaseAnnotations.isPresent(called, type) || (annotatedType && ContainerMethods.isOf(called, type)))
                            && !isOfFramework(called),
                    called,
                    "' runs without a lease, although its class has @DistributedLease, because Spring calls it on the bean"
                            + " itself, not through its proxy. Annotate the methods that need a lease, not the class");
        } else if (calls.isInjection(method)) {
            refusePastProxy(called, null);
        } else if (ContainerMethods.isNeededAtAnyTime(called, type)) {
            refuse(
                    called,
                    type,
                    "Spring's container calls the method of bean '" + bean
                            + "' to ask or to stop the bean, also while another node holds the lease",
                    "Remove the annotation from this method, and annotate the methods that do the work.");
        } else {
            warnIf(
                    annotatedType
                            && ContainerMethods.isOf(called, type)
                            && !LeaseAnnotations.isPresent(called, type)
                            && !isOfFramework(called),
                    called,
                    "' runs without a lease, although its class has @DistributedLease, because it implements an interface"
                            + " of Spring for its container. If it needs the lease, annotate the method");
        }
    }

    private static boolean isOfFramework(Method method) {
        return method.getDeclaringClass().getName().startsWith("org.springframework.");
    }

    private void refuseFactoryBean() {
        if (annotatedType && FactoryBean.class.isAssignableFrom(type)) {
            throw new InvalidLeaseMethodException(
                    type,
                    "the class is a FactoryBean, and the annotation does not guard the calls of the bean that it creates",
                    ANNOTATE_PRODUCT + ".");
        }
    }

    private void refusePastProxy(Method method, @Nullable String role) {
        refuse(
                method,
                type,
                "Spring calls the method of bean '" + bean
                        + "' on the bean itself and not through its proxy, so it would run without a lease"
                        + (role == null ? "" : ": it is " + role),
                "Do the work in an @EventListener(ApplicationReadyEvent.class) or ApplicationRunner, or use the"
                        + " LeaseManager in the method. If Spring should not call it as an inferred destroy method, set"
                        + " '@Bean(destroyMethod = \"\")'.");
    }

    private static void refuse(Method method, Class<?> type, String problem, String fix) {
        for (Class<? extends Annotation> annotation : ANNOTATIONS) {
            if (isAnnotated(method, annotation)) {
                throw new InvalidLeaseMethodException(annotation, method, type, problem, fix, null);
            }
        }
    }

    private void warnIf(boolean covered, Method method, String problem) {
        if (covered) {
            warnings.add("Method '" + ClassUtils.getQualifiedMethodName(method, type) + problem);
        }
    }

    private void refuseIfNothingIsGuarded() {
        List<Method> finals = methods.stream().filter(this::isInheritedFinal).toList();
        // setters do not count if the class inherits final methods, because setters only configure the bean
        if (methods.stream().anyMatch(method -> isGuarded(method) && (finals.isEmpty() || !isSetter(method)))) {
            return;
        }
        String reason = finals.isEmpty()
                ? "it covers public methods, and the class has none that is called through the proxy"
                : "'" + finals.get(0).getName() + "' is final in '"
                        + finals.get(0).getDeclaringClass().getName() + "'";
        throw new InvalidLeaseMethodException(
                type,
                "the annotation guards no method of bean '" + bean + "': " + reason,
                "Put the annotation on the method that needs the lease. It must be public, protected or package-private, and"
                        + " be called through the bean. Of a class with a final method, annotate the method that the final"
                        + " one calls, such as 'executeInternal' of a QuartzJobBean.");
    }

    private boolean isGuarded(Method method) {
        return !calls.isMaker(method)
                && !calls.isLifecycle(method)
                && UnguardableMethods.hindrance(method, type) == null
                && LeaseAnnotations.isPresent(method, type);
    }

    private boolean isInheritedFinal(Method method) {
        return UnguardableMethods.FINAL.equals(UnguardableMethods.hindrance(method, type))
                && method.getDeclaringClass() != type
                && LeaseAnnotations.isPresent(method, type);
    }

    private static boolean isSetter(Method method) {
        return method.getName().startsWith("set") && method.getParameterCount() == 1;
    }

    private static boolean isAnnotated(AnnotatedElement element, Class<? extends Annotation> annotation) {
        return MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
    }
}
