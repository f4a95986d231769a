package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

class LeaseSetupFailureAnalyzerTest {

    @Test
    void aBadPropertyIsExplainedByOursBeforeBoots() {
        new ApplicationContextRunner()
                .withUserConfiguration(Properties.class)
                .withPropertyValues("lease.ttl=1s")
                .run(context -> assertThat(analysis(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .isEqualTo("Property 'lease.ttl' is '1 s', expected between 2 s and 365 d");
                            assertThat(analysis.getAction()).isEqualTo("Correct the property 'lease.ttl'.");
                        }));
    }

    static FailureAnalysis analysis(Throwable failure) {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        SpringFactoriesLoader.FailureHandler.handleMessage((message, cause) -> {}));
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElseThrow();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(LeaseProperties.class)
    static class Properties {}
}
