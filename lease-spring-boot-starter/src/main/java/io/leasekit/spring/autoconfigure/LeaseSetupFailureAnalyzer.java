package io.leasekit.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports a {@link LeaseSetupException} and its fix, before Spring Boot's analyzer of failed bindings runs. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class LeaseSetupFailureAnalyzer extends AbstractFailureAnalyzer<LeaseSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LeaseSetupException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.fix(), cause);
    }
}
