package io.leasekit.spring.autoconfigure;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Defines a manager for each {@code lease.managers.<name>.*}. */
final class NamedManagersRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;

    NamedManagersRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        NamedLeaseBeans beans = new NamedLeaseBeans(registry);
        NamedLeaseBeans.properties(environment).keySet().forEach(beans::addManager);
    }
}
