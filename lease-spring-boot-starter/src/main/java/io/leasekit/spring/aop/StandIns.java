package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Tells the objects that were put in place of beans: there is a definition of that name, and Spring did not make the object by
 * it. Thread-safe.
 */
@Internal
public final class StandIns implements BeanFactoryPostProcessor, PriorityOrdered {

    private final Set<String> made = ConcurrentHashMap.newKeySet();

    /** Creates it for one bean factory. */
    public StandIns() {}

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // what is there already was made too early by Spring: tests put their objects there later, as this comes first
        made.addAll(List.of(beanFactory.getSingletonNames()));
        beanFactory.addBeanPostProcessor(
                (MergedBeanDefinitionPostProcessor) (definition, type, name) -> made.add(name));
    }

    /** Returns whether the object of this bean name is one. */
    boolean contains(ConfigurableListableBeanFactory beanFactory, String bean) {
        return beanFactory.containsBeanDefinition(bean) && !made.contains(bean);
    }

    /** First, to see each bean that Spring makes from here on. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
