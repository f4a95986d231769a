package io.leasekit.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.spring.DistributedLease;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestContext;

/** A test without the application's auto-configurations, as a slice is. */
@SpringBootTest
@AutoConfigureTestLeases
class SliceTest {

    @Autowired
    private TestLeases leases;

    @Autowired
    private Job job;

    @Autowired
    private ApplicationContext application;

    @Test
    void annotatedMethodsRunUnderALease() {
        job.run();

        assertThat(leases.calls()).ranOnce("job");
    }

    @Test
    void aFailedTestPrintsTheStory() {
        AssertionError failure = new AssertionError("failed");
        TestContext context = context();
        when(context.getTestException()).thenReturn(failure);
        job.run();

        new TestLeasesListener().afterTestExecution(context);

        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(story -> assertThat(story)
                        .hasMessageContaining("acquired, token")
                        .hasMessageContaining("'job'"));
    }

    @Test
    void anAcquireThatATestLeavesBehindIsWatchedNoMore() {
        leases.node("other").hold("job");
        LeaseManager manager = leases.manager();
        manager.acquireAsync(LeaseRequest.of("job").waitFor(LeaseRequest.UNLIMITED));
        assertThat(leases.world().time.hasWaits()).isTrue();

        new TestLeasesListener().afterTestMethod(context());

        assertThat(leases.world().time.hasWaits()).isFalse();
        assertThat(manager.waiting()).hasSize(1);
    }

    private TestContext context() {
        TestContext context = mock(TestContext.class);
        when(context.hasApplicationContext()).thenReturn(true);
        when(context.getApplicationContext()).thenReturn(application);
        return context;
    }

    @Test
    void aTestWithoutAContextIsLeftAlone() {
        new TestLeasesListener().beforeTestMethod(mock(TestContext.class));
        assertThat(leases.now()).isEqualTo(VirtualTime.START);
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {

        @DistributedLease("job")
        public void run() {}
    }
}
