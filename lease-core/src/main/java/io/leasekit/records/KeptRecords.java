package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import java.util.Set;

/**
 * The records that must outlive a lease (protocol 7): the name of the last run, and progress. If the item has a record
 * that must outlive the lease, the table refuses writes that would let item TTL remove the item at the end of the
 * lease.
 */
@Internal
public final class KeptRecords {

    /**
     * The conditions of a write after which item TTL may remove the item at the end of the lease: the item must have no
     * record that outlives the lease.
     */
    public static final Edits NONE =
            Edits.builder().absent(ItemRun.NAME).absent(ItemProgress.DATA).build();

    private static final Set<String> OF_A_TENURE =
            Set.of(ItemRun.NAME, ItemProgress.DATA, ItemProgress.RUN, ItemProgress.SAVED_AT, RecordTable.HISTORY);

    private KeptRecords() {}

    /** Returns whether the item has a record that must outlive the lease. */
    public static boolean isIn(LeaseItem item) {
        return item.records().has(ItemRun.NAME) || item.records().has(ItemProgress.DATA);
    }

    /**
     * Selects the records before an acquire that the acquired lease needs: the last run's name, progress, and the run
     * history.
     */
    public static Records before(Records records) {
        return records.only(OF_A_TENURE);
    }
}
