package io.leasekit.spring.aop;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an invalid annotated method with its cure. */
final class InvalidLeaseMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLeaseMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLeaseMethodException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.cure(), cause);
    }
}
