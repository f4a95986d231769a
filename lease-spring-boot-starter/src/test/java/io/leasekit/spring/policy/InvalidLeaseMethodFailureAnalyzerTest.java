package io.leasekit.spring.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;

@ExtendWith(OutputCaptureExtension.class)
class InvalidLeaseMethodFailureAnalyzerTest {

    @Test
    void theProblemAndTheCureAreShown() throws NoSuchMethodException {
        InvalidLeaseMethodException failure = new InvalidLeaseMethodException(
                DistributedLease.class,
                Object.class.getMethod("notify"),
                Object.class,
                "ttl is 'soon', expected a duration",
                "Correct 'ttl'.",
                null);

        FailureAnalysis analysis =
                new InvalidLeaseMethodFailureAnalyzer().analyze(new IllegalStateException("start", failure));

        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription())
                .isEqualTo("@DistributedLease on 'java.lang.Object.notify': ttl is 'soon', expected a duration");
        assertThat(analysis.getAction()).isEqualTo("Correct 'ttl'.");
    }

    @Test
    void aMissingManagerIsExplainedByOursBeforeBootsAnalysisOfTheMissingBean(CapturedOutput output) {
        assertThatThrownBy(() -> start(GuardedByNobody.class)).hasStackTraceContaining("nope");

        assertThat(output)
                .contains("@DistributedLease on '" + GuardedByNobody.class.getName() + ".guarded': there is no"
                        + " LeaseManager bean with the name or qualifier 'nope', found 'leaseManager'")
                .contains("Correct 'manager', or define a LeaseManager bean 'nope'.")
                .doesNotContain("required a bean named");
    }

    @Test
    void aMissingManagerOfALeaderIsExplainedTheSameWay(CapturedOutput output) {
        assertThatThrownBy(() -> start(LedByNobody.class)).hasStackTraceContaining("nope");

        assertThat(output)
                .contains("@LeaderOnly on '" + LedByNobody.class.getName() + ".lead': there is no LeaseManager bean"
                        + " with the name or qualifier 'nope', found 'leaseManager'")
                .doesNotContain("required a bean named");
    }

    private static void start(Class<?> bean) {
        SpringApplication application =
                new SpringApplication(new DefaultResourceLoader(new BootBeforeUs()), Application.class, bean);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.run().close();
    }

    /** The class path of an application that declares Spring Boot before Leasekit. */
    private static final class BootBeforeUs extends ClassLoader {

        BootBeforeUs() {
            super(InvalidLeaseMethodFailureAnalyzerTest.class.getClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> resources = Collections.list(super.getResources(name));
            Collections.reverse(resources);
            return Collections.enumeration(resources);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        InMemoryLeaseStore store() {
            return new InMemoryLeaseStore();
        }
    }

    static class GuardedByNobody {

        @DistributedLease(key = "key", manager = "nope")
        public void guarded() {}
    }

    static class LedByNobody {

        @LeaderOnly(key = "key", manager = "nope")
        public void lead() {}
    }
}
