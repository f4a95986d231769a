package io.leasekit.spring.call;

import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.Quietly;
import io.leasekit.log.CallLog;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.OnStoreFailure;
import io.leasekit.spring.policy.HandlerBean;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.text.Text;
import java.util.Arrays;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles calls that got no lease: throws, calls a handler, or skips the call. Thread-safe. */
final class CallsWithoutLease {

    private static final Logger log = LoggerFactory.getLogger(CallsWithoutLease.class);

    private final SkippedCalls skipped;

    CallsWithoutLease(SkippedCalls skipped) {
        this.skipped = skipped;
    }

    @Nullable
    Object alreadyRan(LeasePolicy policy, LeaseRequest request, LeaseAlreadyRanException e) {
        Quietly.run(() -> policy.once().warnOfLaterRun(request, e.shown()));
        if (!policy.skipAlreadyRan()) {
            throw e;
        }
        Quietly.run(() -> log.debug("Call of '{}' skipped: {}", policy.method(), Text.why(e)));
        return policy.skippedResult().get();
    }

    /** Skips a firing because the application is closing. */
    @Nullable
    Object closing(LeasePolicy policy) {
        Quietly.run(() -> log.debug("Firing of '{}' skipped: the application is closing", policy.method()));
        return policy.skippedResult().get();
    }

    @Nullable
    Object unavailable(
            MethodInvocation invocation, LeasePolicy policy, LeaseRequest request, LeaseUnavailableException e)
            throws Exception {
        HandlerBean handler = policy.handler();
        if (handler != null) {
            return handler.handle(new LeaseUnavailableCall(
                    heldKey(request, e), handler.method(), Arrays.asList(invocation.getArguments()), e));
        }
        if (!policy.skipUnavailable()) {
            throw e;
        }
        skipped.unavailable(policy, e.pause().orElse(null));
        Quietly.run(() -> log.debug("Call of '{}' skipped: {}", policy.method(), Text.why(e)));
        return policy.skippedResult().get();
    }

    /**
     * Returns the key of the request that another owner holds. If the exception does not name that key, returns the
     * first key of the request.
     */
    private static String heldKey(LeaseRequest request, LeaseUnavailableException e) {
        return e.holder().map(LeaseInfo::key).filter(request.keys()::contains).orElse(request.key());
    }

    /**
     * Skips a firing because the table does not answer. The run of this firing begins later, when the table answers.
     */
    @Nullable
    Object waiting(LeasePolicy policy, LeaseStoreException e) {
        Quietly.run(() -> log.debug("Firing of '{}' waits until the table answers: {}", policy.method(), Text.why(e)));
        return policy.skippedResult().get();
    }

    /** Counts a run that has waited for the table but does not begin on this node. */
    void missed(LeasePolicy policy, LeaseManager manager) {
        CallLog.count(manager, policy.name());
        skipped.failed(policy);
    }

    @Nullable
    Object storeFailed(LeasePolicy policy, LeaseManager manager, LeaseStoreException e) {
        CallLog.count(manager, policy.name());
        if (policy.onStoreFailure() != OnStoreFailure.SKIP) {
            skipped.failed(policy);
            throw e;
        }
        skipped.storeFailed(policy);
        CallLog.log(
                manager,
                () -> log.warn(
                        "Call of '{}' skipped, its lease could not be acquired: {}", policy.method(), Text.why(e)),
                () -> log.debug("Call of '{}' skipped, its lease could not be acquired", policy.method(), e));
        return policy.skippedResult().get();
    }
}
