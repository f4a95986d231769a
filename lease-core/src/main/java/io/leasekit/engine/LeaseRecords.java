package io.leasekit.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseProgress;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.records.AcquireText;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.tenure.Tenure;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The records of a lease, such as its runs and its progress (protocol 7): which records an acquire writes, how long the
 * item keeps records after the end of the lease, and how records are shown to people. Thread-safe.
 */
final class LeaseRecords {

    private static final int MOST_SHOWN = 200;

    private final LeaseRules rules;
    private final LeaseSettings settings;

    LeaseRecords(LeaseRules rules, LeaseSettings settings) {
        this.rules = rules;
        this.settings = settings;
    }

    /** Returns the records that every acquire for this request writes. */
    static Edits ofRequest(LeaseRequest request) {
        return request.permits() == 0
                ? Edits.NONE
                : Edits.builder()
                        .set(RecordTable.PERMITS, (long) request.permits())
                        .build();
    }

    /**
     * Decides, before an attempt to acquire, whether item TTL may remove the items at the end of the lease. {@code
     * shown}: the items as replies have shown them.
     */
    void beforeAcquire(LeaseSpec spec, Tenure tenure, List<LeaseItem> shown) {
        if (spec.keepsRecords() || shown.stream().anyMatch(KeptRecords::isIn)) {
            tenure.keepLonger();
        }
    }

    /**
     * Returns the changes and conditions that an acquire adds for the records of an item. An acquire for a run requires
     * that the item names no last run or one with a smaller name. If item TTL may remove the item at the end of the
     * lease, the acquire also requires that the item has neither a last run nor progress.
     */
    Edits ofAcquire(LeaseSpec spec, String key, Tenure tenure, Tenure.Attempt attempt) {
        Edits.Builder edits = Edits.builder().add(spec.edits()).keptUntil(keptUntil(tenure, attempt));
        if (!tenure.isKeptLonger()) {
            edits.add(KeptRecords.NONE);
        }
        String run = spec.onceOf(key);
        if (run != null) {
            edits.absentOrBelow(ItemRun.NAME, run);
        }
        AcquireText.APPLICATION.addTo(edits, settings.application, attempt.token());
        AcquireText.RUN.addTo(edits, run, attempt.token());
        return edits.build();
    }

    /** Stores the records that the item had before the acquire, if the lease needs them. */
    void saw(Tenure tenure, Records before) {
        tenure.sawRecords(KeptRecords.before(before));
    }

    /** Returns whether this item shows that the run for which the lease is requested is done. */
    static boolean isDone(LeaseSpec spec, LeaseItem item) {
        return spec.once() != null && ItemRun.isDone(item.records(), spec.once());
    }

    Edits ofRenewal(Tenure tenure, Tenure.Attempt attempt, Edits changed) {
        return Edits.builder()
                .add(changed)
                .keptUntil(keptUntil(tenure, attempt))
                .build();
    }

    private @Nullable Long keptUntil(Tenure tenure, Tenure.Attempt attempt) {
        return keptUntil(
                tenure.isKeptLonger(), attempt.reading(), attempt.claim() + retention(true), tenure.largestToken());
    }

    /**
     * Returns the time from which item TTL may remove an item with records, if this time is later than the end of the
     * lease; {@code null}: item TTL may remove the item at the end of the lease or of its hold.
     */
    @Nullable
    Long keptUntil(boolean keptLonger, BoundedClock.Reading reading, long nanos, long token) {
        return keptLonger ? rules.expiry(reading.latest(), nanos, token) : null;
    }

    /** Returns how long an item stays in the table after a release or a hold, in nanoseconds. */
    long retention(boolean mayHaveRecords) {
        return LeaseSpec.nanos(mayHaveRecords ? settings.onceRetention() : settings.retention);
    }

    // ---- for people

    /**
     * Returns the lease in an item, in the form for users.
     *
     * @param end the end of the lease; {@code null}: the end is unknown, or nobody holds the lease
     * @param releasedAt the time of the release; {@code null}: the time is unknown, or the lease is not released
     */
    static LeaseInfo shown(LeaseItem item, @Nullable Instant end, @Nullable Instant releasedAt) {
        Records records = item.records();
        Long permits = records.number(RecordTable.PERMITS);
        return new LeaseInfo(
                item.key(),
                item.version() != null,
                item.owner(),
                item.token() == null ? 0 : item.token(),
                Inspection.instant(item.acquiredAtMillis()),
                end,
                releasedAt,
                run(ItemRun.of(records)),
                permits == null ? 0 : (int) Math.max(0, Math.min(permits, Integer.MAX_VALUE)),
                SharedKeys.application(item),
                RunHistory.runs(records.text(RecordTable.HISTORY)),
                progress(ItemProgress.of(records)));
    }

    private static @Nullable LeaseProgress progress(@Nullable ItemProgress saved) {
        if (saved == null) {
            return null;
        }
        byte[] data = saved.data();
        return new LeaseProgress(saved.run(), Inspection.instant(saved.savedAtMillis()), data.length, printable(data));
    }

    /** Returns the data as text, cut at 200 characters; {@code null} if the data is not a printable text. */
    private static @Nullable String printable(byte[] data) {
        try {
            String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(data)).toString(); // throws if malformed
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
     * Returns the outcome with this name; {@code null} if there is no name, or only a later version of the library
     * knows the name.
     */
    private static @Nullable LeaseRunOutcome outcome(@Nullable String text) {
        return Stream.of(LeaseRunOutcome.values())
                .filter(outcome -> outcome.name().equals(text))
                .findFirst()
                .orElse(null);
    }
}
