package io.leasekit.spring.aop;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an invalid annotated method with its cure. */
final class InvalidDistributedLeaseFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDistributedLeaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidDistributedLeaseException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.cure(), cause);
    }
}
