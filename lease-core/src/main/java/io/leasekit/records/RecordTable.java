package io.leasekit.records;

import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The attributes that store records, with their types. A store ignores, cuts or refuses a value that this table does
 * not allow, because no version of Leasekit writes it.
 */
@Internal
public final class RecordTable {

    /** The number of permits in the request of the last acquire. */
    public static final String PERMITS = "permits";

    public static final String HISTORY = "run_history";

    /** The pauses of the table; only the item {@code #pauses} has this record. */
    public static final String PAUSES = "lease_pauses";

    /** The records that are texts, each with its maximum number of characters. */
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

    public static Set<String> names() {
        Set<String> names = new HashSet<>(TEXTS.keySet());
        names.addAll(NUMBERS);
        names.addAll(BYTES);
        return names;
    }

    /** Returns the names of the records that a listing of leases reads. */
    public static Set<String> listed() {
        Set<String> names = names();
        names.removeAll(NOT_LISTED);
        return names;
    }
}
