package io.leasekit.engine;

import io.leasekit.LeaseRequest;
import io.leasekit.internal.Quietly;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.observe.Observer;
import io.leasekit.pause.PauseBoard;
import io.leasekit.records.RecordTable;
import io.leasekit.store.LeaseItem;
import io.leasekit.text.Text;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The permits of one manager: one {@link PermitQueue} for each key whose permits are in use (protocol 6.6).
 * Thread-safe.
 */
final class Permits {

    private static final Logger log = LoggerFactory.getLogger(Permits.class);
    private static final int MAX_REMEMBERED = 10_000;

    final EngineParts parts;
    final FeatureRules rules;
    final PauseBoard pauses;

    final Map<String, Integer> lastUsed = Collections.synchronizedMap(new Observer.Recent<>(MAX_REMEMBERED));

    private final Set<String> warned =
            Collections.synchronizedSet(Collections.newSetFromMap(new Observer.Recent<>(MAX_REMEMBERED)));
    private final ConcurrentMap<String, PermitQueue> queues = new ConcurrentHashMap<>();

    Permits(EngineParts parts, EngineFeatures features) {
        this.parts = parts;
        this.rules = features.rules;
        this.pauses = features.pauses();
    }

    AcquireCall begin(LeaseRequest request, LeaseSpec spec) {
        PermitQueue queue = queues.compute(spec.key(), (key, known) -> {
            PermitQueue used = known == null ? new PermitQueue(key, this) : known;
            used.begun.incrementAndGet();
            return used;
        });
        PermitCall call = new PermitCall(request, spec, parts, queue);
        parts.live.began(call);
        queue.enter(call);
        call.measure();
        parts.live.stopIfClosed(call);
        return call;
    }

    /** A call that has begun but not yet entered keeps the queue in use. */
    void retire(PermitQueue idle) {
        queues.computeIfPresent(idle.key, (key, known) -> known == idle && idle.begun.get() == 0 ? null : known);
    }

    void warnOfAnotherNumber(String key, int number, int permits, LeaseItem item) {
        Long others = item.records().number(RecordTable.PERMITS);
        if (others != null && others != permits && warned.add(key)) {
            Quietly.run(() -> log.warn(
                    "Lease {} has {} permits here, but owner {} acquired slot {} of {}: up to {} callers hold it"
                            + " until all leases with the larger number have ended",
                    Text.quote(key),
                    permits,
                    Text.quote(String.valueOf(item.owner())),
                    number,
                    others,
                    Math.max(others, permits)));
        }
    }
}
