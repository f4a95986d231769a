package io.leasekit.store;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import java.nio.charset.StandardCharsets;
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
@Internal
public final class ItemLimits {

    /** Twice as long as any version that Leasekit or the Rust crate writes, and more. */
    public static final int MAX_VERSION = 256;

    /** The maximum length of the text of the last runs. */
    public static final int MAX_HISTORY = 32 * 1024;

    /** The maximum length of the text of the pauses. That of the item {@code #pauses} is limited line by line. */
    public static final int MAX_PAUSES = 32_000;

    private static final Logger log = LoggerFactory.getLogger(ItemLimits.class);
    private static final int MOST_WARNED = 1_000;
    private static final int MAX_OUTCOME = 128;

    /** Longer by two characters, or four bytes: that of a run which is to run again, see {@link ReopenCommand#before}. */
    private static final int MAX_RUN = Checks.MAX_RUN_BYTES + 2;

    /** No run has a blank name. */
    private static final String NO_RUN = " ";

    private static final Set<Integer> warned = ConcurrentHashMap.newKeySet(); // hash codes, because keys may be long

    private ItemLimits() {}

    /** Returns the item without the texts that are too long. A version that is too long stays, for {@link #isVersionUsable}. */
    public static LeaseItem within(LeaseItem item) {
        String key = item.key();
        return new LeaseItem(
                key,
                item.version(),
                item.expiry(),
                item.durationMillis(),
                item.token(),
                text(key, "owner", item.owner(), Checks.MAX_OWNER),
                item.acquiredAtMillis(),
                item.releasedAtMillis(),
                item.waitingSinceMillis(),
                run(key, item.lastRun()),
                item.permits(),
                key.startsWith(Checks.PAUSES_ITEM)
                        ? item.pauses()
                        : text(key, "lease_pauses", item.pauses(), MAX_PAUSES),
                text(key, "app", item.application(), Checks.MAX_OWNER),
                item.keptUntil(),
                progress(key, item.progress()),
                history(key, item.history()),
                text(key, "run", item.run(), Checks.MAX_RUN_BYTES));
    }

    /** Returns whether the item has no version, or one that can be observed. */
    public static boolean isVersionUsable(LeaseItem item) {
        return item.version() == null || item.version().length() <= MAX_VERSION;
    }

    /** Returns the text of the last runs; {@code null}: none, or it is too long. */
    public static @Nullable String history(String key, @Nullable String history) {
        return text(key, "run_history", history, MAX_HISTORY);
    }

    /** Returns the run without the texts that are too long, and with the beginning of a name that is. */
    public static @Nullable ItemRun run(String key, @Nullable ItemRun run) {
        return run == null
                ? null
                : new ItemRun(
                        runName(key, run.name()),
                        text(key, "last_run_owner", run.owner(), Checks.MAX_OWNER),
                        run.begunAt(),
                        text(key, "last_run_outcome", run.outcome(), MAX_OUTCOME),
                        run.duration());
    }

    /** Returns the name, or a beginning that is longer than any name of a run. */
    public static @Nullable String runName(String key, @Nullable String name) {
        if (name == null || !isLongRun(name)) {
            return name;
        }
        warn(key, "last_run");
        return Text.beginning(name, MAX_RUN);
    }

    /** Returns the progress; that of no run if its data or the name of its run is too long. */
    public static @Nullable ItemProgress progress(String key, @Nullable ItemProgress progress) {
        if (progress == null
                || (progress.size() <= Checks.MAX_PROGRESS_BYTES
                        && (progress.run() == null || !isLongRun(progress.run())))) {
            return progress;
        }
        warn(key, "progress");
        return new ItemProgress(NO_RUN, new byte[0], progress.savedAtMillis());
    }

    private static boolean isLongRun(String name) {
        return name.length() > MAX_RUN || name.getBytes(StandardCharsets.UTF_8).length > Checks.MAX_RUN_BYTES + 4;
    }

    private static @Nullable String text(String key, String attribute, @Nullable String text, int most) {
        if (text == null || text.length() <= most) {
            return text;
        }
        warn(key, attribute);
        return null;
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
