package io.leasekit.spring.call;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.Quietly;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The Micrometer observations of the acquire, the work and the release of one call under a lease. The threads that
 * start, run and end the call use this object one after the other.
 */
final class CallSpans {

    static final String ACQUIRE = "lease.call.acquire";
    static final String WORK = "lease.call.work";
    static final String RELEASE = "lease.call.release";

    private static final String OUTCOME = "lease.outcome";
    private static final String FAILED = "failed";

    private final ObservationRegistry registry;
    private final @Nullable Observation parent;
    private final LeaseRequest request;
    private final Observation work;
    private final Observation releasing;
    private volatile Observation acquire = Observation.NOOP;
    private volatile boolean working;

    /** If {@code parent} is {@code null}, the observation of the calling thread, if any, becomes the parent. */
    CallSpans(ObservationRegistry registry, @Nullable Observation parent, LeaseRequest request) {
        this.registry = registry;
        this.parent = parent == null ? registry.getCurrentObservation() : parent;
        this.request = request;
        this.work = create(WORK, "run under lease");
        this.releasing = create(RELEASE, "release lease");
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

    void beginAcquire() {
        // Meters of unfinished acquires would show an outcome tag, so the end of the acquire adds the tag.
        acquire = create(ACQUIRE, "acquire lease").start();
    }

    void granted(Lease lease) {
        acquire.highCardinalityKeyValue("lease.token", String.valueOf(lease.fencingToken()));
        endAcquire("granted", null);
    }

    void refused(Throwable refusal) {
        String outcome = outcome(refusal);
        endAcquire(outcome, outcome.equals(FAILED) ? refusal : null);
    }

    private void endAcquire(String outcome, @Nullable Throwable error) {
        acquire.lowCardinalityKeyValue(OUTCOME, outcome);
        stop(acquire, error);
        acquire = Observation.NOOP;
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
     * Until the returned scope is closed, observations that this thread starts are children of the work's observation.
     */
    Observation.Scope beginWork() {
        working = true;
        return work.start().openScope();
    }

    Observation work() {
        return work;
    }

    void failed(Throwable failure) {
        Quietly.run(() -> work.error(failure));
    }

    void beginRelease() {
        if (working) { // a call may be cancelled before its work begins
            stop(work, null);
        }
        Quietly.run(releasing::start);
    }

    void endRelease(@Nullable Throwable failure) {
        stop(releasing, failure);
    }
}
