package io.leasekit.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.store.LeaseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LeaseShedLockAutoConfigurationTest {

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseShedLockAutoConfiguration.class));
    private final ApplicationContextRunner withLeases = contexts.withConfiguration(
                    AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withPropertyValues("lease.close-timeout=1ms") // the tests unlock nothing
            .withBean(LeaseStore.class, InMemoryLeaseStore::new);

    private static LockConfiguration lock() {
        return new LockConfiguration(Instant.now(), "job", Duration.ofMinutes(5), Duration.ZERO);
    }

    @Test
    void theProviderLocksByTheManager() {
        withLeases.run(context -> {
            assertThat(context).hasSingleBean(LockProvider.class);
            assertThat(context.getBean(LockProvider.class).lock(lock())).isPresent();

            assertThat(context.getBean(LeaseManager.class).tryAcquire("job")).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease.key-prefix=app/", "lease.keyPrefix=app/"})
    void theProviderAddsThePrefixOfTheAnnotation(String property) {
        withLeases.withPropertyValues(property).run(context -> {
            assertThat(context.getBean(LockProvider.class).lock(lock())).isPresent();

            assertThat(context.getBean(LeaseManager.class).tryAcquire("app/job"))
                    .isEmpty();
        });
    }

    @Test
    void thereIsNoManagerBeforeTheFirstLock() {
        withLeases.run(context -> assertThat(context.getBeanFactory().containsSingleton("leaseManager"))
                .isFalse());
    }

    @Test
    void anotherProviderOfTheApplicationIsLeftAlone() {
        withLeases
                .withBean("own", LockProvider.class, () -> lock -> Optional.empty())
                .run(context ->
                        assertThat(context).hasSingleBean(LockProvider.class).doesNotHaveBean("leaseLockProvider"));
    }

    @Test
    void thereIsNoProviderWithoutAManager() {
        contexts.run(context -> assertThat(context).doesNotHaveBean(LockProvider.class));
    }

    @Test
    void thereIsNoProviderWithoutShedLock() {
        withLeases
                .withClassLoader(new FilteredClassLoader("net.javacrumbs.shedlock"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseLockProvider"));
    }
}
