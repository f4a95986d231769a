package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import java.util.Set;

/**
 * The records that must outlive a lease (protocol 7): the name of the last run, and progress. An item that has one of them
 * refuses each write that would let item TTL remove it with the lease.
 */
@Internal
public final class KeptRecords {

    /** The guards of a write that would remove such records too early. */
    public static final Edits NONE =
            Edits.builder().absent(ItemRun.NAME).absent(ItemProgress.DATA).build();

    private static final Set<String> OF_A_TENURE =
            Set.of(ItemRun.NAME, ItemProgress.DATA, ItemProgress.RUN, ItemProgress.SAVED_AT, RecordTable.HISTORY);

    private KeptRecords() {}

    /** Returns whether the item has such a record. */
    public static boolean isIn(LeaseItem item) {
        return item.records().has(ItemRun.NAME) || item.records().has(ItemProgress.DATA);
    }

    /** Returns the records before an acquire that its lease needs: these, and the run history. */
    public static Records before(Records records) {
        return records.only(OF_A_TENURE);
    }
}
