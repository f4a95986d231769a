package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.AcquireRefusal;
import io.leasekit.internal.Quietly;
import io.leasekit.log.CallLog;
import io.leasekit.spring.policy.LeasePolicy;
import io.leasekit.text.Text;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The objects that the calls of all annotated methods share. Thread-safe. */
record LeaseCalls(
        LeaseManagers managers,
        Supplier<ObservationRegistry> observations,
        Supplier<Boolean> releaseInBackground,
        CallsWithoutLease withoutLease,
        RunWaiters waiters,
        FiringAcquires firings) {

    private static final Logger log = LoggerFactory.getLogger(LeaseCalls.class);

    /** Logs the failure of a scheduled call, because no caller receives the exception. */
    void logFailed(LeasePolicy policy, Throwable failure) {
        Quietly.run(() -> log(policy, failure));
    }

    private void log(LeasePolicy policy, Throwable failure) {
        if (!(failure instanceof LeaseException)) {
            log.error("Scheduled call of '{}' failed", policy.method(), failure);
            return;
        }
        Runnable error = () -> log.error("Scheduled call of '{}' failed: {}", policy.method(), Text.why(failure));
        Runnable debug = () -> log.debug("Scheduled call of '{}' failed", policy.method(), failure);
        if (failure instanceof LeaseStoreException) {
            CallLog.log(managers.get(policy.manager()), error, debug);
        } else {
            error.run();
            debug.run();
        }
    }

    static Throwable refusal(
            CompletableFuture<Optional<Lease>> acquiring, LeaseRequest request, @Nullable Throwable error) {
        if (error != null) {
            return unwrapped(error);
        }
        RuntimeException known = acquiring instanceof AcquireRefusal future ? future.refusal() : null;
        return known != null
                ? known
                : new LeaseUnavailableException(
                        "Lease " + Text.quote(request.key()) + " is held by another owner, waited "
                                + Text.duration(request.waitFor()),
                        null);
    }

    static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }
}
