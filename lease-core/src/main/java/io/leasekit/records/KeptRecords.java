package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import java.util.Set;

/**
 * The records that must outlive a lease (protocol 7): the name of the last run, and progress. Writes have conditions,
 * so that item TTL does not remove these records at the end of a lease.
 */
@Internal
public final class KeptRecords {

    /**
     * The conditions that the item has no last run and no progress. Under these conditions, item TTL may remove the
     * item when the lease ends.
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

    /** Selects the records that a new lease needs: the name of the last run, the progress, and the run history. */
    public static Records before(Records records) {
        return records.only(OF_A_TENURE);
    }
}
