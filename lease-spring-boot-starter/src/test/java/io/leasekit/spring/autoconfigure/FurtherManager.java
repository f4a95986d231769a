package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/** Defines a further manager as docs/configuration.md shows it, on the store of the default one and created at its first use. */
record FurtherManager(String name, Consumer<LeaseManagerBuilder> settings)
        implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    FurtherManager(String name) {
        this(name, builder -> {});
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        ((GenericApplicationContext) context)
                .registerBean(name, LeaseManager.class, () -> build(context), definition -> {
                    ((AbstractBeanDefinition) definition).setDefaultCandidate(false);
                    definition.setLazyInit(true);
                });
    }

    private LeaseManager build(ConfigurableApplicationContext context) {
        LeaseManagerBuilder builder = LeaseManager.builder(context.getBean(LeaseStore.class));
        context.getBeanProvider(LeaseManagerCustomizer.class)
                .orderedStream()
                .forEach(customizer -> customizer.customize(name, builder));
        builder.closeTimeout(Duration.ofMillis(100)); // tests leave leases to its close
        settings.accept(builder);
        return builder.build();
    }
}
