package io.leasekit.engine;

import static io.leasekit.requests.BoundedClock.drift;
import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.ReleaseMode;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of one release: the writes that it ends, and the form in which it leaves each item (protocol 5.3, 6, 7).
 * Between attempts, only the set of items that may have records changes. Steps run one after the other.
 */
final class ReleaseDraft {

    private static final long MARGIN = 10 * SECOND;

    /**
     * The delay of a release by a short hold (protocol 6.5).
     *
     * @param until the monotonic time at which the delay ends
     * @param begunAtMillis the time at which the delay started, in epoch milliseconds
     * @param endsAtMillis the time at which the delay ends, in epoch milliseconds
     */
    record Delay(long until, long begunAtMillis, long endsAtMillis) {

        /**
         * Returns the delay of a release that keeps others from the key; {@code null}: no delay.
         *
         * @param until the monotonic time until which others are kept from the key
         * @param token the token of the lease
         * @param held the last confirmation of the lease
         */
        static @Nullable Delay of(long until, long token, Confirmed held, LeaseRules rules, BoundedClock clock) {
            BoundedClock.Reading reading = rules.beforeSending(clock);
            if (reading == null || !rules.isKnown(held, clock)) {
                return null;
            }
            long hold = until - reading.sent();
            return rules.delaysRelease(hold, reading.earliest(), token, held.remaining(reading.sent()))
                    ? new Delay(until, reading.middleMillis(), reading.middleMillis() + hold / MILLI)
                    : null;
        }
    }

    /** The parts that all drafts of a manager share. {@code tenures} creates the tenure ids of holds. */
    record Shared(LeaseSettings settings, LeaseRules rules, LeaseRecords records, Supplier<UUID> tenures) {}

    private final Shared shared;
    private final LeaseSpec spec;
    private final List<String> keys;
    private final UUID tenure;
    private final long begun;
    private final VersionRange own;
    private final @Nullable VersionRange predecessor;
    private final long largestToken;
    private final long longestClaim;
    private final boolean unanswered;
    private final Report report;
    private final boolean keptLonger;
    private final boolean hadHistory;
    private final long holdUntil;
    private final String holdVersion; // empty: no hold when the release started
    private final Set<String> mayHaveRecords; // the items that may have records, as far as known

    /**
     * The part of a release about the run. The name of the run and the progress are records, which no acquire of this
     * process may overwrite. The rest of the run and the history are only for display, and may be lost (7).
     *
     * @param run the run; {@code null}: none
     * @param progress the change that the release makes to the saved progress
     * @param mayHaveSaved whether writes of the tenure, or transactions of the code under the lease, may have saved
     *     progress
     * @param history the text of the last runs; {@code null}: the release does not change the text in the item
     */
    record Report(
            @Nullable ItemRun run,
            Edits progress,
            boolean mayHaveSaved,
            @Nullable String history) {

        /** Returns the report of a tenure under which no code has run. */
        static Report ofHistory(@Nullable String history) {
            return new Report(null, Edits.NONE, false, history);
        }

        /** Returns whether nothing would be lost if the release were overwritten. */
        boolean isNone() {
            return run == null && history == null && !progress.changesRecords();
        }
    }

    /**
     * {@code begun}: the monotonic time of the release. {@code holdUntil}: the time until which others are kept from
     * the key. If this time is not later than {@code begun}, there is no hold.
     */
    ReleaseDraft(
            Shared shared,
            LeaseSpec spec,
            Tenure tenure,
            @Nullable VersionRange predecessor,
            Report report,
            long begun,
            long holdUntil) {
        this.shared = shared;
        this.spec = spec;
        this.keys = spec.items();
        this.tenure = tenure.id();
        this.begun = begun;
        this.own = tenure.versions(1, tenure.last()); // 5.3: everything that this tenure may have written
        this.predecessor = predecessor;
        this.largestToken = tenure.largestToken();
        this.longestClaim = tenure.longestClaim();
        this.unanswered = tenure.isUnanswered();
        this.report = report;
        this.keptLonger = tenure.isKeptLonger();
        this.hadHistory = tenure.before().has(RecordTable.HISTORY);
        this.holdUntil = holdUntil;
        // 6: a hold is a version of a tenure without a holder. Few releases need its random UUID.
        this.holdVersion = holdUntil - begun > 0 ? Tenure.version(shared.tenures.get(), tenure.last() + 1) : "";
        boolean cleared = report.progress.removes().contains(ItemProgress.DATA);
        boolean writes = report.progress.sets().has(ItemProgress.DATA);
        boolean mayHaveProgress = !cleared && (writes || report.mayHaveSaved || tenure.mayHave(ItemProgress.DATA));
        // 7: an item with records refuses an acquire that would not keep the item for longer.
        boolean mayHaveHad = keptLonger || predecessor != null;
        boolean mayHaveAny = mayHaveHad && (tenure.mayHave(ItemRun.NAME) || runName() != null || mayHaveProgress);
        this.mayHaveRecords = new HashSet<>(!spec.isGroup() && mayHaveAny ? spec.items() : List.of());
    }

    private ReleaseDraft(ReleaseDraft other, String key) {
        this.shared = other.shared;
        this.spec = other.spec;
        this.keys = List.of(key);
        this.tenure = other.tenure;
        this.begun = other.begun;
        this.own = other.own;
        this.predecessor = other.predecessor;
        this.largestToken = other.largestToken;
        this.longestClaim = other.longestClaim;
        this.unanswered = other.unanswered;
        this.report = other.report;
        this.keptLonger = other.keptLonger;
        this.hadHistory = other.hadHistory;
        this.holdUntil = other.holdUntil;
        this.holdVersion = other.holdVersion;
        this.mayHaveRecords = new HashSet<>(other.mayHaveRecords);
    }

    /** Returns a copy that releases only this one of several keys. */
    ReleaseDraft of(String key) {
        return new ReleaseDraft(this, key);
    }

    List<String> keys() {
        return keys;
    }

    /** Returns the name of the run to record; {@code null}: none. */
    @Nullable
    String runName() {
        return report.run == null ? null : report.run.name();
    }

    /** Returns whether the name of the run was to be recorded in this item, but the item shows that it was not. */
    boolean lacksRun(String key, @Nullable LeaseItem item) {
        String name = runName();
        return name != null && spec.onceOf(key) != null && (item == null || !ItemRun.isDone(item.records(), name));
    }

    /**
     * If the item was used for runs in growing order, and the key is now used for runs in any order, returns the name
     * of the run in the item; otherwise {@code null}.
     */
    @Nullable
    String runInOtherOrder(StoreReply.Refusal refusal) {
        LeaseItem item = refusal.item();
        boolean inAnyOrder = spec.once() != null && !spec.keys().contains(spec.runKey());
        return inAnyOrder && item != null && isShownBy(item) && spec.keys().contains(item.key())
                ? item.records().text(ItemRun.NAME)
                : null;
    }

    /**
     * Returns why a release was refused, given the item that its reply shows; {@code null}: the reply shows no item.
     */
    String whyRefused(@Nullable LeaseItem item) {
        if (item == null) {
            return "its item is no longer in the table";
        }
        return Tenure.isOfAnother(item, largestToken) ? "another owner has acquired it" : "it was released by force";
    }

    UUID tenure() {
        return tenure;
    }

    /** Returns the time, in nanoseconds, for which the writes of the tenure may keep the lease after the release. */
    long longestClaim() {
        return longestClaim;
    }

    /** Returns whether the writes that the release ends have surely expired. */
    boolean isOver(long now) {
        return now - begun > longestClaim + drift(longestClaim) + MARGIN;
    }

    /** Returns all versions that the tenure may have written. */
    VersionRange own() {
        return own;
    }

    /** Returns whether a write of the tenure may still be applied. */
    boolean isUnanswered() {
        return unanswered;
    }

    /**
     * Returns whether an acquire of this process may overwrite the writes of the tenure before this release is applied.
     */
    boolean mayBeOverwritten(long now) {
        boolean writesRecords = runName() != null || report.progress.changesRecords();
        return shared.rules.mayBeOverwritten(holdUntil - now > 0, writesRecords);
    }

    /** Returns whether the item shows a write of the tenure. */
    boolean isShownBy(@Nullable LeaseItem item) {
        return item != null && item.version() != null && own.contains(item.version());
    }

    ReleaseCommand command(String key, BoundedClock.Reading reading) {
        long hold = holdUntil - reading.sent();
        ReleaseCommand.Form form = form(key, reading, hold);
        // 7: the reply to an acquire of several items does not show their runs, so the release checks for records.
        boolean unlessRecords = spec.isGroup() && !mayHaveRecords(key) && hold <= 0;
        Edits edits = Edits.builder()
                .add(unlessRecords ? KeptRecords.NONE : Edits.NONE)
                .add(form instanceof ReleaseCommand.Delete ? Edits.NONE : run(key))
                .add(report.progress)
                .set(RecordTable.HISTORY, report.history)
                .keptUntil(hold > 0 ? keptUntil(key, reading, hold) : null)
                .build();
        return new ReleaseCommand(key, own, predecessor, form, edits);
    }

    /**
     * Returns whether the release may share a request with other releases (5.10), because it is a single write that
     * does not delete the item.
     */
    boolean mayTravelWithOthers() {
        return keys.size() == 1 && !mayDelete(keys.get(0));
    }

    private boolean mayDelete(String key) {
        return shared.settings.releaseMode == ReleaseMode.DELETE
                && report.history == null
                && shared.rules.mayDelete(unanswered, mayHaveRecords(key));
    }

    /**
     * Returns the run to record in this item. Each item records the run; only the item that decides about the run also
     * records its name.
     */
    private Edits run(String key) {
        ItemRun run = report.run;
        return run == null
                ? Edits.NONE
                : new ItemRun(spec.onceOf(key), run.owner(), run.begunAt(), run.outcome(), run.duration()).edits();
    }

    /** Returns whether the item may have records that must not be forgotten. */
    private boolean mayHaveRecords(String key) {
        return mayHaveRecords.contains(key) || (spec.isGroup() && spec.onceOf(key) != null);
    }

    /**
     * Returns how long the item is kept after the release or the hold. With several items, a hold does not check for
     * records, so records are assumed.
     */
    private long retention(String key, boolean isHold) {
        boolean mayHaveAny = mayHaveRecords(key) || (isHold && spec.isGroup() && keptLonger);
        return shared.records.retention(mayHaveAny);
    }

    private @Nullable Long keptUntil(String key, BoundedClock.Reading reading, long hold) {
        boolean isKept = keptLonger || hadHistory || !report.isNone(); // otherwise it has nothing worth keeping
        return shared.records.keptUntil(isKept, reading, hold + retention(key, true), largestToken);
    }

    private ReleaseCommand.Form form(String key, BoundedClock.Reading reading, long hold) {
        if (hold > 0) {
            long expiry = shared.rules.holdExpiry(reading.earliest(), hold, largestToken);
            long duration = Math.max(hold, expiry * SECOND - reading.earliest()) / MILLI;
            return new ReleaseCommand.Hold(holdVersion, expiry, duration, reading.middleMillis(), largestToken);
        }
        if (mayDelete(key) && shared.rules.mayBeForgotten(largestToken, reading)) {
            return new ReleaseCommand.Delete();
        }
        return new ReleaseCommand.Retain(
                shared.rules.expiry(reading.latest(), retention(key, false), largestToken), reading.middleMillis());
    }

    /**
     * Handles refusals of this release. If a refusing item still belongs to this tenure, it has records that were not
     * expected. Returns whether such records were found; the next attempt keeps them.
     */
    boolean learnRecords(List<StoreReply.Refusal> refusals) {
        boolean any = false;
        for (StoreReply.Refusal refusal : refusals) {
            boolean ours = isShownBy(refusal.item())
                    || (predecessor != null && refusal.version() != null && predecessor.contains(refusal.version()));
            any |= ours && mayHaveRecords.add(refusal.key());
        }
        return any;
    }
}
