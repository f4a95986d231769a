package io.leasekit.engine;

import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The records in the writes of leases (protocol 7): which records an acquire writes, and how long the records of an item
 * outlive its lease. Thread-safe.
 */
final class LeaseRecords {

    private final LeaseRules rules;
    private final LeaseSettings settings;

    LeaseRecords(LeaseRules rules, LeaseSettings settings) {
        this.rules = rules;
        this.settings = settings;
    }

    /** Decides before an attempt whether item TTL may remove the items at the end of the lease: {@code shown} are the items. */
    void beforeAcquire(LeaseSpec spec, Tenure tenure, Stream<LeaseItem> shown) {
        if (spec.keepsRecords() || shown.anyMatch(KeptRecords::isIn)) {
            tenure.keepLonger();
        }
    }

    Edits ofAcquire(LeaseSpec spec, String key, Tenure tenure, Tenure.Attempt attempt) {
        Edits.Builder edits = Edits.builder().keptUntil(keptUntil(tenure, attempt));
        if (!tenure.isKeptLonger()) {
            edits.add(KeptRecords.NONE);
        }
        String run = spec.onceOf(key);
        if (run != null) {
            edits.absentOrBelow(ItemRun.NAME, run);
        }
        Integer permits = spec.permits();
        edits.set(RecordTable.PERMITS, permits == null ? null : permits.longValue());
        AcquireText.APPLICATION.addTo(edits, settings.application, attempt.token());
        AcquireText.RUN.addTo(edits, run, attempt.token());
        return edits.build();
    }

    Edits ofRenewal(Tenure tenure, Tenure.Attempt attempt, Edits changed) {
        return Edits.builder()
                .add(changed)
                .keptUntil(keptUntil(tenure, attempt))
                .build();
    }

    private @Nullable Long keptUntil(Tenure tenure, Tenure.Attempt attempt) {
        return keptUntil(
                tenure.isKeptLonger(),
                attempt.reading(),
                attempt.claim() + LeaseSpec.nanos(settings.onceRetention()),
                tenure.largestToken());
    }

    /** Returns the time from which item TTL may remove an item; {@code null}: the end of its lease or hold. */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token) {
        return rules.keptUntil(keptLonger, reading, nanos, token);
    }

    /** Returns for how long an item is kept after a release or a hold, in nanoseconds. */
    long retention(boolean mayHaveRecords) {
        Duration retention = mayHaveRecords ? settings.onceRetention() : settings.retention;
        return LeaseSpec.nanos(retention);
    }
}
