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
 * The limits of the texts of an item when it is read. They are those of writing, so another writer of the table cannot fill this
 * process. Conditions are evaluated by the store with what it has stored, so a text that is ignored here grants nothing:
 *
 * <ul>
 *   <li>A version that is too long cannot be observed: the item is no lease, and reading it fails. Its key can be acquired once
 *       its expiry has passed, as any other.
 *   <li>Of the name of the last run, the beginning is kept that no name of a run reaches. It covers the same runs.
 *   <li>Progress that is too long belongs to no run, but the item still has progress to keep.
 *   <li>Any other text is for people, and is ignored.
 * </ul>
 *
 * <p>There is one warning for each key, for up to 1,000 keys of this process. Thread-safe.
 */
final class ItemLimits {

    /** Twice as long as any version that Leasekit or the Rust crate writes, and more. */
    static final int MAX_VERSION = 256;

    private static final Logger log = LoggerFactory.getLogger(ItemLimits.class);
    private static final int MOST_WARNED = 1_000;

    /** No run has a blank name. */
    private static final String NO_RUN = " ";

    private static final Set<Integer> warned = ConcurrentHashMap.newKeySet(); // hash codes, because keys may be long

    private ItemLimits() {}

    /** Returns the text of the owner; {@code null}: none, or it is too long. */
    static @Nullable String owner(String key, @Nullable String owner) {
        return owner == null || isWithin(Checks.MAX_OWNER, owner, key, Attributes.OWNER) ? owner : null;
    }

    /** Removes texts that are too long from the records of an item, or cuts them. */
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
                        && !(record.getKey().equals(RecordTable.PAUSES) && key.startsWith(Checks.PAUSES_ITEM))
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

    /** Returns the name, or a beginning that is longer than any name of a run. */
    private static String runName(String key, String name) {
        if (!isLongRun(name)) {
            return name;
        }
        warn(key, ItemRun.NAME);
        return Text.beginning(name, Checks.MAX_RUN_BYTES + 2);
    }

    private static boolean isLong(@Nullable Object progress, @Nullable Object itsRun) {
        return progress instanceof Bytes data
                && (data.size() > Checks.MAX_PROGRESS_BYTES || (itsRun instanceof String run && isLongRun(run)));
    }

    private static boolean isLongRun(String name) {
        return name.length() > Checks.MAX_RUN_BYTES
                || name.getBytes(StandardCharsets.UTF_8).length > Checks.MAX_RUN_BYTES;
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
