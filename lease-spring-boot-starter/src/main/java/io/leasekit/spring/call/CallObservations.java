package io.leasekit.spring.call;

import io.leasekit.internal.Quietly;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps failures of the application's observation handlers, filters and predicates from the calls that they observe.
 * Micrometer throws them at the observed code, where they would leave a lease without its release. Thread-safe.
 */
final class CallObservations {

    private static final Logger log = LoggerFactory.getLogger(CallObservations.class);

    private final ObservationRegistry registry;
    private final AtomicBoolean warned = new AtomicBoolean();

    CallObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** Returns the observation of the calling thread; {@code null} if there is none. */
    @Nullable
    Observation current() {
        return registry.getCurrentObservation();
    }

    /** Creates an observation, which observes nothing if its creation fails. */
    Observation create(Function<ObservationRegistry, Observation> creation) {
        try {
            return registry.isNoop() ? Observation.NOOP : creation.apply(registry);
        } catch (Throwable e) {
            complain(e);
            return Observation.NOOP;
        }
    }

    /** Runs a step of an observation. A failure is logged, and has no other effect. */
    void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable e) {
            complain(e);
        }
    }

    /** Makes the observation that of this thread until the scope is closed. */
    Observation.Scope openScope(Observation observation) {
        Observation.Scope before = registry.getCurrentObservationScope();
        try {
            return new QuietScope(observation.openScope(), before);
        } catch (Throwable e) {
            complain(e);
            Observation.Scope halfOpen = registry.getCurrentObservationScope();
            if (halfOpen != before) {
                close(halfOpen, before);
            }
            return Observation.Scope.NOOP;
        }
    }

    private void close(Observation.@Nullable Scope scope, Observation.@Nullable Scope before) {
        if (scope != null) {
            run(scope::close);
        }
        registry.setCurrentObservationScope(before); // Micrometer does not if a handler fails
    }

    private void complain(Throwable failure) {
        Quietly.run(() -> {
            if (warned.compareAndSet(false, true)) { // a broken handler fails at every call
                log.warn(
                        "An observation handler, filter or predicate failed. The calls that it observes go on. Further"
                                + " failures are logged at DEBUG",
                        failure);
            } else {
                log.debug("An observation handler, filter or predicate failed again", failure);
            }
        });
    }

    /** A scope that closes whatever the handlers throw. */
    @SuppressWarnings("deprecation") // two methods of the interface are deprecated, but still abstract
    private final class QuietScope implements Observation.Scope {

        private final Observation.Scope scope;
        private final Observation.@Nullable Scope before;

        private QuietScope(Observation.Scope scope, Observation.@Nullable Scope before) {
            this.scope = scope;
            this.before = before;
        }

        @Override
        public void close() {
            CallObservations.this.close(scope, before);
        }

        @Override
        public Observation getCurrentObservation() {
            return scope.getCurrentObservation();
        }

        @Override
        public Observation.@Nullable Scope getPreviousObservationScope() {
            return before;
        }

        @Override
        public void reset() {
            scope.reset();
        }

        @Override
        public void makeCurrent() {
            scope.makeCurrent();
        }
    }
}
