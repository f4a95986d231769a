package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import io.leasekit.spring.DistributedLease;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.SpringProxy;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** Rejects lease annotations of a bean that would have no effect. Thread-safe. */
@Internal
public final class AnnotatedBeans implements MergedBeanDefinitionPostProcessor, PriorityOrdered {

    private static final Logger log = LoggerFactory.getLogger(AnnotatedBeans.class);

    private final boolean checking;
    private final StandIns standIns;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, Optional<Method>> takingObject = new ConcurrentHashMap<>();

    /** If {@code checking} is false, accepts all beans, because leases are switched off. */
    public AnnotatedBeans(boolean checking, StandIns standIns) {
        this.checking = checking;
        this.standIns = standIns;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> beanType, String beanName) {
        if (!checking) {
            return;
        }
        Method maker = definition.getResolvedFactoryMethod();
        if (maker != null) {
            AnnotatedBean.refuseMaker(maker, maker.getDeclaringClass());
        }
        Class<?> type = ClassUtils.getUserClass(beanType);
        if (AnnotationUtils.isCandidateClass(type, DistributedLease.class)) {
            new AnnotatedBean(definition, type, beanName)
                    .check().stream().filter(warned::add).forEach(log::warn);
        }
    }

    /** Runs before other post-processors give the bean to a scheduler, whose tasks keep the bean in a private field. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = bean.getClass();
        if (checking
                && !(bean instanceof SpringProxy)
                && !standIns.wrapsAdvised(beanName, bean)
                && AnnotationUtils.isCandidateClass(type, DistributedLease.class)) {
            takingObject.computeIfAbsent(type, AnnotatedBean::takingObject).ifPresent(method -> {
                throw AnnotatedBean.object(method, type, beanName);
            });
        }
        return bean;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
