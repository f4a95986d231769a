package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

class InvalidDistributedLeaseFailureAnalyzerTest {

    @Test
    void theProblemAndTheCureAreShown() throws NoSuchMethodException {
        InvalidDistributedLeaseException failure = new InvalidDistributedLeaseException(
                Object.class.getMethod("notify"),
                Object.class,
                "ttl is 'soon', expected a duration",
                "Correct 'ttl'.",
                null);

        FailureAnalysis analysis =
                new InvalidDistributedLeaseFailureAnalyzer().analyze(new IllegalStateException("start", failure));

        assertThat(analysis).isNotNull();
        assertThat(analysis.getDescription())
                .isEqualTo("@DistributedLease on 'java.lang.Object.notify': ttl is 'soon', expected a duration");
        assertThat(analysis.getAction()).isEqualTo("Correct 'ttl'.");
    }
}
