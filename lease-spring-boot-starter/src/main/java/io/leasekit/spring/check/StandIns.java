package io.leasekit.spring.check;

import io.leasekit.internal.Internal;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * Detects objects that replace beans: mocks that tests register, and objects that bean post-processors return.
 * Thread-safe.
 */
@Internal
public final class StandIns implements BeanFactoryPostProcessor, PriorityOrdered {

    /** The class of each bean that Spring created; {@code Object} for beans that existed before this post-processor. */
    private final Map<String, Class<?>> made = new ConcurrentHashMap<>();

    private final Set<String> advised = ConcurrentHashMap.newKeySet();

    public StandIns() {}

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // existing singletons are beans that Spring created too early, not mocks, because tests register mocks later
        for (String name : beanFactory.getSingletonNames()) {
            made.put(name, Object.class);
        }
        beanFactory.addBeanPostProcessor(
                (MergedBeanDefinitionPostProcessor) (definition, type, name) -> made.put(name, type));
    }

    public void addAdvised(@Nullable String bean) {
        if (bean != null) {
            advised.add(bean);
        }
    }

    /** Returns whether the object is a proxy or wrapper of a bean to which the lease advice applies. */
    boolean wrapsAdvised(String bean, Object object) {
        return advised.contains(bean) && isReplaced(bean, object);
    }

    private boolean isReplaced(String bean, Object object) {
        Class<?> type = made.get(bean);
        return type != null && type != Object.class && type != object.getClass();
    }

    /** Returns the class of the bean that the object replaces; {@code null} if the object replaces no bean. */
    @Nullable
    Class<?> replaced(String bean, Object object) {
        return isReplaced(bean, object) ? made.get(bean) : null;
    }

    /** Returns whether the singleton was registered in place of a bean. */
    boolean contains(ConfigurableListableBeanFactory beanFactory, String bean) {
        return beanFactory.containsBeanDefinition(bean) && !made.containsKey(bean);
    }

    /** Puts this post-processor first, to see every bean that Spring creates. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
