package io.leasekit.spring.leader;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an invalid method of a leader with its cure. */
final class InvalidLeaderMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLeaderMethodException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLeaderMethodException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.cure(), cause);
    }
}
