package io.leasekit.dynamodb;

import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.store.ItemProgress;
import io.leasekit.text.Text;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of the texts of an item when it is read. These limits equal the limits for writing, so another writer of
 * the table cannot fill the memory of this process. DynamoDB evaluates conditions on the stored texts, so ignoring a
 * text here grants nothing:
 *
 * <ul>
 *   <li>If the version is too long, reading the item fails, because the version cannot be observed. As with any item,
 *       its key can be acquired after its expiry.
 *   <li>If the name of the last run is too long, it is cut to a length that no valid name reaches. The cut name covers
 *       the same runs.
 *   <li>If progress is too long, it counts as progress of no run, but the item still has progress to keep.
 *   <li>Any other text that is too long is ignored, because it is only shown to people.
 * </ul>
 *
 * <p>One warning is logged for each key, for up to 1,000 keys of this process. Thread-safe.
 */
final class ItemLimits {

    /**
     * The maximum length of a version: more than twice as long as any version that Leasekit or the Rust crate writes.
     */
    static final int MAX_VERSION = 256;

    private static final Logger log = LoggerFactory.getLogger(ItemLimits.class);
    private static final int MOST_WARNED = 1_000;

    /**
     * The maximum lengths of texts for people, by attribute. Not used for the text in the item of all pauses, which has
     * a limit for each line.
     */
    private static final Map<String, Integer> FOR_PEOPLE = Map.of(
            Attributes.OWNER, Checks.MAX_OWNER,
            Attributes.APPLICATION, Checks.MAX_OWNER,
            Attributes.RUN, Checks.MAX_RUN_BYTES,
            Attributes.LAST_RUN_OWNER, Checks.MAX_OWNER,
            Attributes.LAST_RUN_OUTCOME, 128,
            Attributes.HISTORY, Checks.MAX_HISTORY_CHARS,
            Attributes.PAUSES, Checks.MAX_PAUSES_CHARS);

    /**
     * The maximum length of a run name in characters. A name that allows its run to be repeated is longer by up to two
     * characters, or four bytes; see {@code ReopenCommand}.
     */
    private static final int MAX_RUN = Checks.MAX_RUN_BYTES + 2;

    /** The name for progress that belongs to no run, because no run has a blank name. */
    private static final String NO_RUN = " ";

    private static final Set<Integer> warned = ConcurrentHashMap.newKeySet(); // hash codes, because keys may be long

    private ItemLimits() {}

    /** Returns the text of an attribute; {@code null} if it is absent or too long. */
    static @Nullable String text(String key, String attribute, @Nullable String text) {
        if (text == null || text.length() <= FOR_PEOPLE.getOrDefault(attribute, Integer.MAX_VALUE)) {
            return text;
        }
        warn(key, attribute);
        return null;
    }

    /**
     * Returns the name. If it is too long, returns its beginning, which is still longer than any valid name of a run.
     */
    static @Nullable String runName(String key, @Nullable String name) {
        if (name == null || !isLongRun(name)) {
            return name;
        }
        warn(key, Attributes.LAST_RUN);
        return Text.beginning(name, MAX_RUN);
    }

    /** Returns the progress. If its data or the name of its run is too long, returns progress of no run. */
    static ItemProgress progress(String key, ItemProgress progress) {
        if (progress.size() <= Checks.MAX_PROGRESS_BYTES && (progress.run() == null || !isLongRun(progress.run()))) {
            return progress;
        }
        warn(key, Attributes.PROGRESS);
        return new ItemProgress(NO_RUN, new byte[0], progress.savedAtMillis());
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
