package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import io.leasekit.spring.policy.LeasePolicies;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Finds several beans of one class, because their annotated methods may share a lease. */
@Internal
public final class SharingBeans {

    private static final String SCOPED_TARGET = "scopedTarget.";

    private final ConfigurableListableBeanFactory beans;

    public SharingBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    public void warn(Collection<Class<?>> types, LeasePolicies policies) {
        Map<Class<?>, Set<String>> names = names();
        for (Class<?> type : types) {
            Set<String> ofType = names.getOrDefault(ClassUtils.getUserClass(type), Collections.emptySet());
            policies.allOf(type).values().forEach(policy -> ScheduleAdvice.warnOfSharingBeans(policy, ofType));
        }
    }

    private Map<Class<?>, Set<String>> names() {
        Map<Class<?>, Set<String>> names = new HashMap<>();
        for (String bean : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            if (type != null) {
                names.computeIfAbsent(ClassUtils.getUserClass(type), none -> new TreeSet<>())
                        .add(bean.startsWith(SCOPED_TARGET) ? bean.substring(SCOPED_TARGET.length()) : bean);
            }
        }
        return names;
    }
}
