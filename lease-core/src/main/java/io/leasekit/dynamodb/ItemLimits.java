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

    /** The maximum lengths of texts for people, by attribute. That of the item of all pauses is limited line by line. */
    private static final Map<String, Integer> FOR_PEOPLE = Map.of(
            Attributes.OWNER, Checks.MAX_OWNER,
            Attributes.APPLICATION, Checks.MAX_OWNER,
            Attributes.RUN, Checks.MAX_RUN_BYTES,
            Attributes.LAST_RUN_OWNER, Checks.MAX_OWNER,
            Attributes.LAST_RUN_OUTCOME, 128,
            Attributes.HISTORY, Checks.MAX_HISTORY_CHARS,
            Attributes.PAUSES, Checks.MAX_PAUSES_CHARS);

    /** The name of a run that is to run again may be longer by two characters, or four bytes: see {@code ReopenCommand}. */
    private static final int MAX_RUN = Checks.MAX_RUN_BYTES + 2;

    /** No run has a blank name. */
    private static final String NO_RUN = " ";

    private static final Set<Integer> warned = ConcurrentHashMap.newKeySet(); // hash codes, because keys may be long

    private ItemLimits() {}

    /** Returns the text of an attribute; {@code null}: none, or it is too long. */
    static @Nullable String text(String key, String attribute, @Nullable String text) {
        if (text == null || text.length() <= FOR_PEOPLE.getOrDefault(attribute, Integer.MAX_VALUE)) {
            return text;
        }
        warn(key, attribute);
        return null;
    }

    /** Returns the name, or a beginning that is longer than any name of a run. */
    static @Nullable String runName(String key, @Nullable String name) {
        if (name == null || !isLongRun(name)) {
            return name;
        }
        warn(key, Attributes.LAST_RUN);
        return Text.beginning(name, MAX_RUN);
    }

    /** Returns the progress; that of no run if its data or the name of its run is too long. */
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
