package io.leasekit.spring.aop;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what is wrong with an annotated method, and the cure. */
final class InvalidDistributedLeaseFailureAnalyzer extends AbstractFailureAnalyzer<InvalidDistributedLeaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidDistributedLeaseException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.cure(), cause);
    }
}
