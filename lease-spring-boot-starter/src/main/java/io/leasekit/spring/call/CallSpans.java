package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.EngineLease;
import io.leasekit.internal.Quietly;
import io.leasekit.spring.context.SharedLease;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The observations of one call under a lease: acquire, work and release. All three are children of the caller's
 * observation. The acquire is observed separately, so that traces show the wait for the lease. This class also releases
 * the lease: {@link SharedLease} calls {@link #release} when the last call has ended. The caller's thread, the thread
 * that calls the method, and the thread that ends the call use this object one after the other.
 */
final class CallSpans implements SharedLease.Ending {

    static final String ACQUIRE = "lease.call.acquire";
    static final String WORK = "lease.call.work";
    static final String RELEASE = "lease.call.release";

    /**
     * The longest time for which an asynchronous call waits for the release of its lease. This time is the timeout of
     * one request, because a blocking call also waits that long.
     */
    private static final long RELEASE_PATIENCE_SECONDS = 2;

    private static final String OUTCOME = "lease.outcome";
    private static final String FAILED = "failed";

    private final ObservationRegistry registry;
    private final @Nullable Observation parent;
    private final LeaseRequest request;
    private final boolean releaseInBackground;
    private final Observation work;
    private final Observation releasing;
    private volatile boolean working;

    CallSpans(
            ObservationRegistry registry,
            @Nullable Observation parent,
            LeaseRequest request,
            boolean releaseInBackground) {
        this.registry = registry;
        this.parent = parent;
        this.request = request;
        this.releaseInBackground = releaseInBackground;
        this.work = create(WORK, "run under lease");
        this.releasing =
                create(RELEASE, "release lease"); // before the work, because predicates of the application may throw
    }

    @FunctionalInterface
    interface Factory {

        /**
         * Creates the observations of a call. {@code parent} is the caller's observation; {@code null} selects the
         * observation of the calling thread, if any.
         */
        CallSpans of(LeaseRequest request, @Nullable Observation parent);
    }

    private Observation create(String name, String what) {
        if (registry.isNoop()) {
            return Observation.NOOP;
        }
        String leaseName = request.name() == null ? "none" : request.name();
        return Observation.createNotStarted(name, registry)
                .contextualName(what)
                .parentObservation(parent)
                .lowCardinalityKeyValue("lease.name", leaseName)
                .highCardinalityKeyValue("lease.key", String.join(", ", request.keys()));
    }

    private static void stop(Observation observation, @Nullable Throwable error) {
        if (error != null) {
            Quietly.run(() -> observation.error(error));
        }
        Quietly.run(observation::stop);
    }

    /** Starts the observation of an acquire. {@link #granted} or {@link #refused} stops the observation. */
    Observation beginAcquire() {
        // no outcome tag yet, because meters of unfinished acquires would show it
        return create(ACQUIRE, "acquire lease").start();
    }

    void granted(Observation acquire, Lease lease) {
        acquire.lowCardinalityKeyValue(OUTCOME, "granted");
        acquire.highCardinalityKeyValue("lease.token", String.valueOf(lease.fencingToken()));
        stop(acquire, null);
    }

    void refused(Observation acquire, Throwable refusal) {
        String outcome = outcome(refusal);
        acquire.lowCardinalityKeyValue(OUTCOME, outcome);
        stop(acquire, outcome.equals(FAILED) ? refusal : null); // other outcomes are expected, so they are no errors
    }

    private static String outcome(Throwable refusal) {
        if (refusal instanceof LeaseUnavailableException) {
            return "unavailable";
        }
        if (refusal instanceof LeaseAlreadyRanException) {
            return "already-ran";
        }
        boolean isCancelled =
                refusal instanceof CancellationException || refusal instanceof FiringAcquires.ClosingException;
        return isCancelled ? "cancelled" : FAILED;
    }

    /**
     * Starts the observation of the work. Until the scope is closed, observations that this thread starts are children
     * of the observation of the work.
     */
    Observation.Scope beginWork() {
        working = true;
        return work.start().openScope();
    }

    Observation work() {
        return work;
    }

    @Override
    public void failed(Throwable failure) {
        Quietly.run(() -> work.error(failure));
    }

    @Override
    public void release(Lease lease) {
        var unused = release(lease, () -> releaseByCaller(lease));
    }

    private CompletionStage<Void> releaseByCaller(Lease lease) {
        if (releaseInBackground) {
            return lease instanceof EngineLease known ? known.releaseFromHere() : lease.releaseAsync();
        }
        lease.close();
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<Void> releaseAsync(Lease lease) {
        CompletionStage<Void> released = release(lease, lease::releaseAsync);
        return releaseInBackground
                ? CompletableFuture.completedStage(null)
                : released.toCompletableFuture()
                        .copy()
                        .completeOnTimeout(null, RELEASE_PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private CompletionStage<Void> release(Lease lease, Supplier<CompletionStage<Void>> release) {
        if (working) { // a call may be cancelled before its work begins
            stop(work, null);
        }
        Quietly.run(releasing::start);
        return release.get().whenComplete((done, failure) -> {
            stop(releasing, failure);
            if (failure != null && releaseInBackground) { // no caller waits for the release
                SharedLease.logFailed(lease, failure);
            }
        });
    }
}
