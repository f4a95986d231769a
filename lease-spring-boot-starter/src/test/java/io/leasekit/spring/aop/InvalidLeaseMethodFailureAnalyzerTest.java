package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.DistributedLease;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

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
}
