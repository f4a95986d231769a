package io.leasekit.spring.aop;

import io.leasekit.Lease;
import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.context.LeaseHold;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The observations of one call under a lease: acquire, work and release. A separate acquire shows the wait in traces.
 * All three are children of the caller's observation. The calling thread uses this object until the work leaves that
 * thread; then the thread that ends the call uses it.
 */
final class CallSpans implements LeaseHold.Ending {

    static final String ACQUIRE = "lease.call.acquire";
    static final String WORK = "lease.call.work";
    static final String RELEASE = "lease.call.release";

    private final ObservationRegistry registry;
    private final @Nullable Observation parent;
    private final LeaseRequest request;
    private final Function<Lease, CompletionStage<Void>> release;
    private final Observation work;

    /** Creates the observations of a call. {@code release} ends the lease; its stage completes after the release. */
    CallSpans(ObservationRegistry registry, LeaseRequest request, Function<Lease, CompletionStage<Void>> release) {
        this.registry = registry;
        this.parent = registry.getCurrentObservation();
        this.request = request;
        this.release = release;
        this.work = create(WORK, "run under lease");
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

    Lease acquire(Supplier<Lease> acquiring) {
        Observation acquire = create(ACQUIRE, "acquire lease").lowCardinalityKeyValue("lease.outcome", "failed");
        acquire.start();
        try {
            Lease lease = acquiring.get();
            acquire.lowCardinalityKeyValue("lease.outcome", "granted");
            acquire.highCardinalityKeyValue("lease.token", String.valueOf(lease.fencingToken()));
            return lease;
        } catch (LeaseUnavailableException e) {
            acquire.lowCardinalityKeyValue("lease.outcome", "unavailable"); // an expected outcome, not an error
            throw e;
        } catch (LeaseAlreadyRanException e) {
            acquire.lowCardinalityKeyValue("lease.outcome", "already-ran"); // nor is this one
            throw e;
        } catch (RuntimeException e) {
            acquire.error(e);
            throw e;
        } finally {
            acquire.stop();
        }
    }

    /** Begins the work. Observations of this thread belong to it until the scope is closed. */
    Observation.Scope beginWork() {
        return work.start().openScope();
    }

    @Override
    public void failed(Throwable failure) {
        work.error(failure);
    }

    @Override
    public void accept(Lease lease) {
        work.stop();
        Observation observation = create(RELEASE, "release lease").start();
        try {
            release.apply(lease).whenComplete((done, failure) -> {
                if (failure != null) {
                    observation.error(failure);
                }
                observation.stop();
            });
        } catch (RuntimeException e) {
            observation.error(e);
            observation.stop();
            throw e;
        }
    }
}
