package io.leasekit.records;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseProgress;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that store records: their types, and their values as users see them. A store ignores, cuts or refuses a value that this table does
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

    private static final int MOST_SHOWN = 200; // users see at most this many characters of the progress

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

    /**
     * Returns the lease in the item as users see it.
     *
     * @param end the end of the lease; {@code null}: the end is unknown, or nobody holds the lease
     * @param releasedAt the time of the release; {@code null}: the time is unknown, or the lease is not released
     */
    public static LeaseInfo shown(
            LeaseItem item, @Nullable String application, @Nullable Instant end, @Nullable Instant releasedAt) {
        Records records = item.records();
        Long permits = records.number(PERMITS);
        return new LeaseInfo(
                item.key(),
                item.version() != null,
                item.owner(),
                item.token() == null ? 0 : item.token(),
                instant(item.acquiredAtMillis()),
                end,
                releasedAt,
                run(ItemRun.of(records)),
                permits == null ? 0 : (int) Math.max(0, Math.min(permits, Integer.MAX_VALUE)),
                application,
                RunHistory.runs(records.text(HISTORY)),
                progress(ItemProgress.of(records)));
    }

    private static @Nullable LeaseProgress progress(@Nullable ItemProgress saved) {
        if (saved == null) {
            return null;
        }
        byte[] data = saved.data();
        return new LeaseProgress(saved.run(), instant(saved.savedAtMillis()), data.length, printable(data));
    }

    /** Returns the data as text, cut at 200 characters; {@code null} if the data is not a printable text. */
    private static @Nullable String printable(byte[] data) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString();
            boolean printable = text.codePoints().noneMatch(c -> Character.isISOControl(c) || !Character.isDefined(c));
            return printable
                    ? text.substring(
                            0, text.offsetByCodePoints(0, Math.min(MOST_SHOWN, text.codePointCount(0, text.length()))))
                    : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static @Nullable LeaseRun run(@Nullable ItemRun run) {
        return run == null
                ? null
                : new LeaseRun(run.name(), run.owner(), run.begunAt(), outcome(run.outcome()), run.duration());
    }

    /**
     * Returns the outcome with this name; {@code null} if the name is missing or unknown, for example a name from a
     * later version of the library.
     */
    private static @Nullable LeaseRunOutcome outcome(@Nullable String text) {
        return Stream.of(LeaseRunOutcome.values())
                .filter(outcome -> outcome.name().equals(text))
                .findFirst()
                .orElse(null);
    }

    public static @Nullable Instant instant(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis);
    }
}
