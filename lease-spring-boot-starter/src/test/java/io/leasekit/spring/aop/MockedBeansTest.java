package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mockingDetails;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** An application starts with mocks that replace beans and with additional mocks. A spy is a bean like any other. */
@SpringJUnitConfig
class MockedBeansTest {

    @MockitoBean
    private Replaced replaced;

    @MockitoBean
    private Added added;

    @MockitoSpyBean
    private Spied spied;

    @Test
    void mocksAreLetPassAndASpyIsAdvised() {
        assertThat(mockingDetails(replaced).isMock()).isTrue();
        assertThat(mockingDetails(added).isMock()).isTrue();
        assertThat(AopUtils.isAopProxy(spied)).isTrue();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({AopAutoConfiguration.class, LeaseAutoConfiguration.class})
    static class Application {

        @Bean
        InMemoryLeaseStore store() {
            return new InMemoryLeaseStore();
        }

        @Bean
        Replaced replaced() {
            return new Replaced();
        }

        @Bean
        Spied spied() {
            return new Spied();
        }
    }

    static class Replaced {
        @DistributedLease("replaced")
        public void run() {}
    }

    static class Added {
        @DistributedLease("added")
        public void run() {}
    }

    static class Spied {
        @DistributedLease("spied")
        public void run() {}
    }
}
