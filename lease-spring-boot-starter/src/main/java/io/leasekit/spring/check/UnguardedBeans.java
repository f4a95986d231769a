package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.policy.InvalidLeaseMethodException;
import io.leasekit.spring.policy.LeaseAnnotations;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ReflectionUtils;

/** Finds annotated beans whose methods would run without a lease. Runs after Spring has created all singletons. */
@Internal
public final class UnguardedBeans {

    private final ConfigurableListableBeanFactory beans;
    private final StandIns standIns;
    private final Advisor advisor;
    private final Predicate<Class<?>> isAnnotated;

    public UnguardedBeans(
            ConfigurableListableBeanFactory beans,
            StandIns standIns,
            Advisor advisor,
            Predicate<Class<?>> isAnnotated) {
        this.beans = beans;
        this.standIns = standIns;
        this.advisor = advisor;
        this.isAnnotated = isAnnotated;
    }

    public void refuse() {
        for (String name : beans.getSingletonNames()) {
            Object bean = beans.getSingleton(name);
            // only mocks that tests register may lack the advice; other beans would silently run without a lease
            if (bean != null && !standIns.contains(beans, name)) {
                refuse(name, bean);
            }
        }
    }

    private void refuse(String name, Object bean) {
        if (isGuarded(bean) || standIns.wrapsAdvised(name, bean)) {
            return;
        }
        Class<?> replaced = standIns.replaced(name, bean);
        if (replaced != null && isAnnotated.test(replaced)) {
            throw replaced(name, replaced, bean);
        }
        Class<?> type = AopUtils.getTargetClass(bean);
        if (isAnnotated.test(type)) {
            throw unguarded(name, type, bean);
        }
    }

    private boolean isGuarded(Object bean) {
        if (bean instanceof Advised proxy) {
            return isAdvised(proxy) || isTargetGuarded(proxy);
        }
        // An opaque proxy hides its advisors, so it counts as guarded.
        return bean instanceof SpringProxy;
    }

    private boolean isAdvised(Advised proxy) {
        return Arrays.stream(proxy.getAdvisors()).anyMatch(advisor::equals);
    }

    private boolean isTargetGuarded(Advised proxy) {
        TargetSource source = proxy.getTargetSource();
        Object target = source.isStatic() ? AopProxyUtils.getSingletonTarget(proxy) : null;
        // The target of a scoped proxy changes, and Spring applies the advice to each target bean.
        return !source.isStatic() || (target != null && isGuarded(target));
    }

    private static InvalidLeaseMethodException replaced(String name, Class<?> type, Object bean) {
        return invalid(
                type,
                "the bean '" + name
                        + "' is not advised, because a bean post-processor has replaced it by an object of class '"
                        + bean.getClass().getName()
                        + "' before Spring could advise it, so its methods would run without a"
                        + " lease",
                "Let the post-processor replace the bean in postProcessAfterInitialization, and give it no order, so that"
                        + " it comes after Spring's proxy creator. Or put the annotation on an interface that its object implements.");
    }

    private InvalidLeaseMethodException unguarded(String name, Class<?> type, Object bean) {
        if (Proxy.isProxyClass(bean.getClass()) && !isAnnotated.test(bean.getClass())) {
            return invalid(
                    type,
                    "the bean '" + name
                            + "' is a proxy that was created before Spring could advise this class, and none of its"
                            + " interfaces has the annotation, so its methods would run without a lease",
                    "Put the annotation on the interface or its methods, or define the object behind the proxy as a bean.");
        }
        return invalid(
                type,
                "the bean '" + name + "' is not advised, so its methods would run without a lease",
                "In most cases the bean was created too early. Let bean post-processors and advisors depend on it only"
                        + " through ObjectProvider or @Lazy, and make the @Bean methods of post-processors static. An"
                        + " object registered as a singleton by hand is never advised; register a bean definition instead.");
    }

    private static InvalidLeaseMethodException invalid(Class<?> type, String problem, String fix) {
        return new InvalidLeaseMethodException(DistributedLease.class, annotatedMethod(type), type, problem, fix, null);
    }

    private static Method annotatedMethod(Class<?> type) {
        @Nullable
        Method found = Arrays.stream(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(method -> LeaseAnnotations.isPresent(method, type))
                .findFirst()
                .orElse(null);
        if (found == null) {
            throw new IllegalStateException("No method of '" + type + "' has @DistributedLease");
        }
        return found;
    }
}
