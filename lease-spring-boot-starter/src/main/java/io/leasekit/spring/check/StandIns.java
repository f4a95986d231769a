package io.leasekit.spring.check;

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
 * Detects objects that were registered in place of beans, mostly by tests: a bean definition with that name exists, but
 * Spring did not create the object from it. Thread-safe.
 */
@Internal
public final class StandIns implements BeanFactoryPostProcessor, PriorityOrdered {

    private final Set<String> made = ConcurrentHashMap.newKeySet();

    /** Creates the detector for one bean factory. */
    public StandIns() {}

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // Spring created these singletons too early; tests register their objects later, because this runs first
        made.addAll(List.of(beanFactory.getSingletonNames()));
        beanFactory.addBeanPostProcessor(
                (MergedBeanDefinitionPostProcessor) (definition, type, name) -> made.add(name));
    }

    /** Returns whether the object with this bean name replaces a bean. */
    boolean contains(ConfigurableListableBeanFactory beanFactory, String bean) {
        return beanFactory.containsBeanDefinition(bean) && !made.contains(bean);
    }

    /** Runs first, to see every bean that Spring creates afterwards. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
