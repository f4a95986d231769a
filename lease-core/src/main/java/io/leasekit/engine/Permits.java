package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** The permits of one manager: a queue for each key in use (6.6). Thread-safe. */
final class Permits {

    private static final int MAX_REMEMBERED = 10_000;

    private final Reports reports;
    private final Supplier<UUID> ids;
    private final PermitParts shared;
    private final ConcurrentMap<String, PermitQueue> queues = new ConcurrentHashMap<>();

    /** {@code acquisitions} creates the acquire of one slot; {@code ids} creates names of calls. */
    Permits(
            LeaseSettings settings,
            Asking.Waits waits,
            LeaseRules rules,
            SeenItems seen,
            Watches watches,
            Inspection inspection,
            Register register,
            Reports reports,
            Supplier<UUID> ids,
            BiFunction<LeaseTerms, Turns, Acquisition> acquisitions) {
        this.reports = reports;
        this.ids = ids;
        this.shared = new PermitParts(
                settings.owner(),
                settings.maxWaitersPerKey(),
                waits.storeTimeout(),
                rules,
                waits.clock(),
                waits.time(),
                waits.requests(),
                seen,
                watches,
                inspection,
                register,
                waits.random(),
                acquisitions,
                Collections.synchronizedMap(new LastUsed()),
                this::retire);
    }

    private static final class LastUsed extends LinkedHashMap<String, Integer> {
        private static final long serialVersionUID = 1L;

        LastUsed() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MAX_REMEMBERED;
        }
    }

    /** Begins the acquire of a permit. */
    AcquireCall begin(LeaseRequest request, LeaseTerms terms) {
        PermitQueue queue = queues.compute(terms.key(), (key, known) -> {
            PermitQueue expecting = known == null ? new PermitQueue(key, shared) : known;
            expecting.expectOne();
            return expecting;
        });
        int slots = shared.rules().slots(request.permits());
        PermitCall call = new PermitCall(request, slots, terms, ids.get(), shared.time(), reports, queue);
        shared.register().began(call);
        call.result().thenRun(() -> shared.register().ended(call));
        queue.enter(call);
        call.measure();
        shared.register().stopIfClosing(call);
        return call;
    }

    /** Removes an idle queue unless a caller is about to enter it. */
    private void retire(PermitQueue idle) {
        queues.computeIfPresent(idle.key(), (key, known) -> known == idle && idle.expectsNobody() ? null : known);
    }
}
