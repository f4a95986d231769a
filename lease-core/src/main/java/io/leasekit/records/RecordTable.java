package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * All attributes of records, with their types. A store ignores a value of another type, and texts that are longer, because no
 * version of Leasekit writes them.
 */
@Internal
public final class RecordTable {

    /** The number of permits in the request of the last acquire that named one. */
    public static final String PERMITS = "permits";

    /** The engine's text of the last runs. */
    public static final String HISTORY = "run_history";

    /** The pauses of the table; only in the item that keeps them. */
    public static final String PAUSES = "lease_pauses";

    /** The texts, with the largest number of characters. */
    public static final Map<String, Integer> TEXTS = Map.of(
            AcquireText.APPLICATION.name(),
            Checks.MAX_OWNER,
            AcquireText.RUN.name(),
            Checks.MAX_RUN_BYTES,
            ItemRun.NAME,
            Checks.MAX_RUN_BYTES,
            ItemRun.OWNER,
            Checks.MAX_OWNER,
            ItemRun.OUTCOME,
            128,
            ItemProgress.RUN,
            Checks.MAX_RUN_BYTES,
            HISTORY,
            Checks.MAX_HISTORY_CHARS,
            PAUSES,
            Checks.MAX_PAUSES_CHARS);

    public static final Set<String> NUMBERS = Set.of(
            PERMITS,
            AcquireText.APPLICATION.itsToken(),
            AcquireText.RUN.itsToken(),
            ItemRun.BEGUN_AT,
            ItemRun.DURATION,
            ItemProgress.SAVED_AT);

    public static final Set<String> BYTES = Set.of(ItemProgress.DATA);

    private static final Set<String> NOT_LISTED =
            Set.of(HISTORY, PAUSES, AcquireText.RUN.name(), AcquireText.RUN.itsToken());

    private RecordTable() {}

    /** Returns the names of all records. */
    public static Set<String> names() {
        Set<String> names = new HashSet<>(TEXTS.keySet());
        names.addAll(NUMBERS);
        names.addAll(BYTES);
        return names;
    }

    /** Returns the names of the records that a list of leases shows. */
    public static Set<String> listed() {
        Set<String> names = names();
        names.removeAll(NOT_LISTED);
        return names;
    }
}
