package io.leasekit.spring.policy;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Runs before Spring Boot's analyzers, which would report only the cause of the exception. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidLeaseMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLeaseMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLeaseMethodException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.fix(), cause);
    }
}
