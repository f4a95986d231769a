package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.dynamodb.CheckedStore;
import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * Bean definitions for the managers {@code lease.managers.<name>.*}. The beans are lazy, qualified by the name of the
 * manager, and not injected by type without this qualifier. Their bean names have a suffix, because an application may
 * use the name of a manager for a bean of its own.
 */
final class NamedLeaseBeans {

    private final BeanDefinitionRegistry registry;

    private NamedLeaseBeans(BeanDefinitionRegistry registry) {
        this.registry = registry;
    }

    static Map<String, LeaseManagerProperties> properties(Environment environment) {
        return Binder.get(environment)
                .bind("lease.managers", Bindable.mapOf(String.class, LeaseManagerProperties.class))
                .orElseGet(Map::of);
    }

    static String clientName(String manager) {
        return manager + "LeaseDynamoDbAsyncClient";
    }

    private void addManager(String manager) {
        RootBeanDefinition definition = madeBy("leaseManagerFactory", "named", manager);
        definition.setTargetType(LeaseManager.class);
        qualify(definition, manager);
        registry.registerBeanDefinition(manager + "LeaseManager", definition);
    }

    private void addStore(String manager) {
        RootBeanDefinition definition = madeBy("leaseStoreFactory", "store", manager);
        definition.setTargetType(CheckedStore.class);
        qualify(definition, manager);
        registry.registerBeanDefinition(manager + "LeaseStore", definition);
    }

    private void addClient(String manager) {
        RootBeanDefinition definition = madeBy("leaseStoreFactory", "client", manager);
        definition.setTargetType(DynamoDbAsyncClient.class);
        registry.registerBeanDefinition(clientName(manager), definition);
    }

    private static void qualify(RootBeanDefinition definition, String manager) {
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, manager));
    }

    private static RootBeanDefinition madeBy(String factory, String method, String manager) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setFactoryBeanName(factory);
        definition.setFactoryMethodName(method);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, manager);
        definition.setDefaultCandidate(false);
        definition.setLazyInit(true);
        return definition;
    }

    /** Defines the bean of each manager. */
    static final class Managers implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        Managers(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            NamedLeaseBeans beans = new NamedLeaseBeans(registry);
            properties(environment).keySet().forEach(beans::addManager);
        }
    }

    /**
     * Defines a store for each manager with its own table or connection, and a client for each with its own connection.
     */
    static final class Stores implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        Stores(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            NamedLeaseBeans beans = new NamedLeaseBeans(registry);
            properties(environment).forEach((name, manager) -> {
                if (manager.isConnectionSet()) {
                    beans.addClient(name);
                }
                if (manager.isStoreSet()) {
                    beans.addStore(name);
                }
            });
        }
    }
}
