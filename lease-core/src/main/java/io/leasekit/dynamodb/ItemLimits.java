package io.leasekit.dynamodb;

import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Bytes;
import io.leasekit.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the length of texts that are read from an item. The limits keep other writers of the table from filling the
 * memory of this process. Cutting or ignoring a text never grants a lease wrongly, because DynamoDB evaluates
 * conditions on the stored texts. Effects:
 *
 * <ul>
 *   <li>If the version is too long, reading the item fails, because the version cannot be observed.
 *   <li>If the name of the last run is too long, only its beginning is used, which is still longer than any valid name.
 *   <li>If the progress or the name of its run is too long, the progress counts as progress that belongs to no run.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class ItemLimits {

    /** Far longer than the versions that Leasekit and the Rust crate write. */
    static final int MAX_VERSION = 256;

    private static final Logger log = LoggerFactory.getLogger(ItemLimits.class);
    private static final int MOST_WARNED = 1_000;

    /** If an operator allows a run again, the stored name is up to two characters longer than the run's name. */
    private static final int MAX_RUN = Checks.MAX_RUN_BYTES + 2;

    /** The text that replaces the run's name if the progress or the name is too long; no real run has a blank name. */
    private static final String NO_RUN = " ";

    // The set contains the hash codes of keys instead of the keys, because keys may be long.
    private static final Set<Integer> warned = ConcurrentHashMap.newKeySet();

    private ItemLimits() {}

    static @Nullable String owner(String key, @Nullable String owner) {
        return owner == null || isWithin(Checks.MAX_OWNER, owner, key, Attributes.OWNER) ? owner : null;
    }

    static Map<String, Object> limited(String key, Map<String, Object> records) {
        records.computeIfPresent(ItemRun.NAME, (name, run) -> runName(key, (String) run));
        if (isLong(records.get(ItemProgress.DATA), records.get(ItemProgress.RUN))) {
            warn(key, ItemProgress.DATA);
            records.put(ItemProgress.DATA, new Bytes(new byte[0]));
            records.put(ItemProgress.RUN, NO_RUN);
        }
        records.entrySet()
                .removeIf(record -> !record.getKey().equals(ItemRun.NAME)
                        && record.getValue() instanceof String text
                        && !isWithin(RecordTable.TEXTS.getOrDefault(record.getKey(), 0), text, key, record.getKey()));
        return records;
    }

    private static boolean isWithin(int most, String text, String key, String attribute) {
        if (text.length() > most) {
            warn(key, attribute);
            return false;
        }
        return true;
    }

    private static String runName(String key, String name) {
        if (!isLongRun(name)) {
            return name;
        }
        warn(key, ItemRun.NAME);
        return Text.beginning(name, MAX_RUN);
    }

    private static boolean isLong(@Nullable Object progress, @Nullable Object itsRun) {
        return progress instanceof Bytes data
                && (data.size() > Checks.MAX_PROGRESS_BYTES || (itsRun instanceof String run && isLongRun(run)));
    }

    private static boolean isLongRun(String name) {
        return name.length() > MAX_RUN || name.getBytes(StandardCharsets.UTF_8).length > Checks.MAX_RUN_BYTES + 4;
    }

    private static void warn(String key, String attribute) {
        if (warned.size() < MOST_WARNED && warned.add(key.hashCode())) {
            Quietly.run(() -> log.warn(
                    "Item {} was changed by another writer: attribute '{}' is longer than Leasekit writes it, so it is"
                            + " ignored or cut",
                    Text.quote(key),
                    attribute));
        }
    }
}
