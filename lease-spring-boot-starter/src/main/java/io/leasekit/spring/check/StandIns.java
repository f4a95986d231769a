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
 * Detects objects that replace the beans that Spring created: objects that are registered in place of beans, mostly by
 * tests, and objects that a bean post-processor returns in place of beans. Thread-safe.
 */
@Internal
public final class StandIns implements BeanFactoryPostProcessor, PriorityOrdered {

    /**
     * The class of each bean that Spring created; {@code Object} for beans created before this detector could see them.
     */
    private final Map<String, Class<?>> made = new ConcurrentHashMap<>();

    private final Set<String> advised = ConcurrentHashMap.newKeySet();

    public StandIns() {}

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // Spring created these singletons too early; tests register their objects later, because this runs first
        for (String name : beanFactory.getSingletonNames()) {
            made.put(name, Object.class);
        }
        beanFactory.addBeanPostProcessor(
                (MergedBeanDefinitionPostProcessor) (definition, type, name) -> made.put(name, type));
    }

    /** Records that the lease advice applies to the bean that Spring is creating. */
    public void addAdvised(@Nullable String bean) {
        if (bean != null) {
            advised.add(bean);
        }
    }

    /**
     * Returns whether the lease advice applies to the bean, and a proxy or a wrapper has replaced the object that
     * Spring instantiated.
     */
    boolean wrapsAdvised(String bean, Object object) {
        return advised.contains(bean) && isReplaced(bean, object);
    }

    private boolean isReplaced(String bean, Object object) {
        Class<?> type = made.get(bean);
        return type != null && type != Object.class && type != object.getClass();
    }

    /**
     * Returns the class of the bean that Spring created, if a post-processor has replaced the bean by this object;
     * {@code null} otherwise.
     */
    @Nullable
    Class<?> replaced(String bean, Object object) {
        return isReplaced(bean, object) ? made.get(bean) : null;
    }

    /**
     * Returns whether the object with this bean name was registered in place of a bean: the bean has a definition, but
     * Spring did not create the object.
     */
    boolean contains(ConfigurableListableBeanFactory beanFactory, String bean) {
        return beanFactory.containsBeanDefinition(bean) && !made.containsKey(bean);
    }

    /** Puts this post-processor first, so that it sees every bean that Spring creates afterwards. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}
