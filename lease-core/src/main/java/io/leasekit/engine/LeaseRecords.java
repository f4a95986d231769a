package io.leasekit.engine;

import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
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

    /**
     * Returns the edits of an acquire. Its guards: the item has no name of a last run, or that name is below that of the
     * run for which the lease is acquired. Unless item TTL removes the item only later, it has neither the name of a last
     * run nor progress.
     */
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
                tenure.isKeptLonger(), attempt.reading(), attempt.claim() + retention(true), tenure.largestToken());
    }

    /**
     * Returns the time from which item TTL may remove an item with records; {@code null}: no separate time, so the item
     * may be removed at the end of the lease or hold.
     */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token) {
        return keptLonger ? rules.expiry(reading.latest(), nanos, token) : null;
    }

    /** Returns for how long an item is kept after a release or a hold, in nanoseconds. */
    long retention(boolean mayHaveRecords) {
        return LeaseSpec.nanos(mayHaveRecords ? settings.onceRetention() : settings.retention);
    }
}
