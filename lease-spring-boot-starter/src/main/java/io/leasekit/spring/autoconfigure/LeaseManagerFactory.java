package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.OwnerNames;
import io.leasekit.store.LeaseStore;
import java.time.Clock;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.core.env.Environment;

/** Creates managers from their properties. */
final class LeaseManagerFactory {

    private final LeaseProperties properties;
    private final Environment environment;
    private final ObjectProvider<LeaseListener> listeners;
    private final ObjectProvider<LeaseManagerCustomizer> customizers;
    private final BeanFactory beanFactory;

    LeaseManagerFactory(
            LeaseProperties properties,
            Environment environment,
            ObjectProvider<LeaseListener> listeners,
            ObjectProvider<LeaseManagerCustomizer> customizers,
            BeanFactory beanFactory) {
        this.properties = properties;
        this.environment = environment;
        this.listeners = listeners;
        this.customizers = customizers;
        this.beanFactory = beanFactory;
    }

    /** Creates the default manager. */
    LeaseManager create() {
        return create(
                LeaseManagerCustomizer.DEFAULT, () -> beanFactory.getBean(LeaseStore.class), properties.manager());
    }

    /** Creates the manager {@code lease.managers.<name>.*}. */
    LeaseManager named(String name) {
        return create(name, () -> store(name), properties.manager(name));
    }

    // a manager without a store of its own uses the default one: the same table, or the in-memory store of a test
    private LeaseStore store(String name) {
        try {
            return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beanFactory, LeaseStore.class, name);
        } catch (NoSuchBeanDefinitionException e) {
            return beanFactory.getBean(LeaseStore.class);
        }
    }

    private LeaseManager create(String name, Supplier<LeaseStore> store, LeaseManagerProperties settings) {
        return properties.enabled()
                ? RestartableManager.of(() -> build(name, store.get(), settings))
                : new UnguardedLeaseManager(Clock.systemUTC());
    }

    private LeaseManager build(String name, LeaseStore store, LeaseManagerProperties settings) {
        LeaseManagerBuilder builder = LeaseManager.builder(store)
                .owner(OwnerNames.of(environment.getProperty("spring.application.name", "application")))
                .releaseInBackground(properties.settings(environment).releaseInBackground())
                .pauses(properties.pause().enabled());
        String application = environment.getProperty("spring.application.name");
        if (application != null && !application.isBlank()) {
            builder.application(application);
        }
        listeners.orderedStream().forEach(builder::listener);
        settings.applyTo(builder);
        customizers.orderedStream().forEach(customizer -> customizer.customize(name, builder));
        return builder.build();
    }
}
