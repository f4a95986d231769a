package io.leasekit.spring.autoconfigure;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Defines a store for each manager with a table of its own, and a client for each with a connection of its own. */
final class NamedStoresRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;

    NamedStoresRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        NamedLeaseBeans beans = new NamedLeaseBeans(registry);
        NamedLeaseBeans.properties(environment).forEach((name, manager) -> {
            if (manager.isConnectionSet()) {
                beans.addClient(name);
            }
            if (manager.isStoreSet()) {
                beans.addStore(name);
            }
        });
    }
}
