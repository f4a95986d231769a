package io.leasekit.test;

import io.leasekit.LeaseManager;
import io.leasekit.engine.EngineBuilder;
import java.util.Arrays;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

/** Adapts a Spring context to the test: nothing fires by itself, and managers run in virtual time. */
final class ContextOfTest implements BeanDefinitionRegistryPostProcessor, BeanPostProcessor {

    private static final String ENGINE = EngineBuilder.class.getPackageName();

    private final ObjectProvider<ManagersOfTest> managers;

    ContextOfTest(ObjectProvider<ManagersOfTest> managers) {
        this.managers = managers;
    }

    /** Removes what would start the scheduled methods. */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        String scheduling = TaskManagementConfigUtils.SCHEDULED_ANNOTATION_PROCESSOR_BEAN_NAME;
        if (registry.containsBeanDefinition(scheduling)) {
            registry.removeBeanDefinition(scheduling);
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        String[] kits = beanFactory.getBeanNamesForType(TestLeases.class, true, false);
        if (kits.length > 1) {
            throw new IllegalStateException("Context has " + kits.length + " beans of type TestLeases: "
                    + Arrays.toString(kits) + ", expected one: two kits do not share their leases");
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        boolean isEngine = bean instanceof LeaseManager && bean.getClass().getPackageName().equals(ENGINE);
        return isEngine ? managers.getObject().manage((LeaseManager) bean, name) : bean;
    }
}
