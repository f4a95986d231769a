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

/** Handles calls that got no lease: throws an exception, calls a handler bean, or skips the call. Thread-safe. */
final class CallsWithoutLease {

    private static final Logger log = LoggerFactory.getLogger(CallsWithoutLease.class);

    private final SkippedCalls skipped;

    CallsWithoutLease(SkippedCalls skipped) {
        this.skipped = skipped;
    }

    /** If {@code awaited} is true, a {@link RunWaiter} waits to execute the run of this call. */
    @Nullable
    Object instead(
            MethodInvocation invocation,
            LeasePolicy policy,
            LeaseManager manager,
            LeaseRequest request,
            boolean awaited,
            Throwable refusal)
            throws Throwable {
        if (refusal instanceof FiringAcquires.ClosingException) {
            debug("Firing of '{}' skipped: the application is closing", policy, refusal);
        } else if (refusal instanceof LeaseAlreadyRanException e) {
            alreadyRan(policy, request, e);
        } else if (refusal instanceof LeaseUnavailableException e && policy.handler() != null) {
            return handled(policy.handler(), invocation, request, e);
        } else if (refusal instanceof LeaseUnavailableException e) {
            unavailable(policy, e);
        } else if (refusal instanceof LeaseStoreException e && awaited) {
            debug("Firing of '{}' waits until the table answers: {}", policy, e);
        } else if (refusal instanceof LeaseStoreException e) {
            storeFailed(policy, manager, e);
        } else {
            throw refusal;
        }
        return policy.skippedResult().get();
    }

    private static void debug(String line, LeasePolicy policy, Throwable refusal) {
        Quietly.run(() -> log.debug(line, policy.method(), Text.why(refusal)));
    }

    private static void alreadyRan(LeasePolicy policy, LeaseRequest request, LeaseAlreadyRanException e) {
        Quietly.run(() -> policy.once().warnOfLaterRun(request, e.shown()));
        if (!policy.skipAlreadyRan()) {
            throw e;
        }
        debug("Call of '{}' skipped: {}", policy, e);
    }

    private static @Nullable Object handled(
            HandlerBean handler, MethodInvocation invocation, LeaseRequest request, LeaseUnavailableException e)
            throws Exception {
        return handler.handle(new LeaseUnavailableCall(
                heldKey(request, e), handler.method(), Arrays.asList(invocation.getArguments()), e));
    }

    private static String heldKey(LeaseRequest request, LeaseUnavailableException e) {
        return e.holder().map(LeaseInfo::key).filter(request.keys()::contains).orElse(request.key());
    }

    private void unavailable(LeasePolicy policy, LeaseUnavailableException e) {
        if (!policy.skipUnavailable()) {
            throw e;
        }
        skipped.unavailable(policy, e.pause().orElse(null));
        debug("Call of '{}' skipped: {}", policy, e);
    }

    private void storeFailed(LeasePolicy policy, LeaseManager manager, LeaseStoreException e) {
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
    }

    /** Counts a run that waited for an answer of the table, and does not begin on this node. */
    void missed(LeasePolicy policy, LeaseManager manager) {
        CallLog.count(manager, policy.name());
        skipped.failed(policy);
    }
}
