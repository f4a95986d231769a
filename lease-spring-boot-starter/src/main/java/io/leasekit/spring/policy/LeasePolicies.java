package io.leasekit.spring.policy;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/** Reads and caches the policies of all annotated methods. Thread-safe. */
@Internal
public final class LeasePolicies {

    private final ConcurrentMap<MethodClassKey, LeasePolicy> policies = new ConcurrentHashMap<>();
    private final ConfigurableBeanFactory beanFactory;
    private final Supplier<String> keyPrefix;

    public LeasePolicies(ConfigurableBeanFactory beanFactory, Supplier<String> keyPrefix) {
        this.beanFactory = beanFactory;
        this.keyPrefix = keyPrefix;
    }

    public LeasePolicy of(Method method, Class<?> targetClass) {
        LeasePolicy policy = find(method, targetClass);
        if (policy == null) {
            throw new IllegalStateException("Method '" + method + "' has no @DistributedLease");
        }
        return policy;
    }

    public Map<Method, LeasePolicy> allOf(Class<?> targetClass) {
        Map<Method, LeasePolicy> found = new LinkedHashMap<>();
        for (Method method :
                MethodIntrospector.selectMethods(targetClass, (Method method) -> find(method, targetClass) != null)) {
            found.put(method, of(method, targetClass));
        }
        return found;
    }

    private @Nullable LeasePolicy find(Method method, Class<?> targetClass) {
        MethodClassKey key = new MethodClassKey(method, ClassUtils.getUserClass(targetClass));
        LeasePolicy known = policies.get(key);
        if (known != null) {
            return known;
        }
        List<MergedAnnotation<DistributedLease>> annotations = LeaseAnnotations.find(method, targetClass);
        if (annotations.isEmpty()) {
            return null;
        }
        LeasePolicy policy = new LeasePolicyReader(
                        AnnotatedMethod.of(method, targetClass, annotations, beanFactory), keyPrefix.get())
                .read();
        policies.put(key, policy);
        return policy;
    }
}
