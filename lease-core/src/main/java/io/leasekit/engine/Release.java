package io.leasekit.engine;

import static io.leasekit.requests.BoundedClock.drift;
import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.ReleaseMode;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.KeptRecords;
import io.leasekit.records.RecordTable;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases everything that a tenure may have written: the form in which the release leaves each item, its requests, and
 * the log lines about its end (protocol 5.3, 6, 7). While the store fails, retries in the background until the lease
 * has surely expired. Before the release is sent, the lease may be handed over instead: the next acquire of this
 * process then overwrites the writes of the tenure (6.2). Between attempts, only the set of items that may have records
 * changes. Steps run one after the other.
 */
final class Release {

    private static final Logger log = LoggerFactory.getLogger(Release.class);
    private static final long MAX_BACKOFF = 5 * SECOND;
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

    private final EngineParts parts;
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
    private final @Nullable Delay delay;
    private final CompletableFuture<Void> done;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    private final Sender.@Nullable Sending sending; // for the first request
    private int failures; // used by one step at a time
    private volatile boolean quiet; // nobody had the lease, or its end is logged
    private volatile @Nullable String unreleased; // the reason why the release was not confirmed
    private volatile boolean applied;

    /**
     * Creates the release of a lease, or of an acquire that was given up.
     *
     * @param predecessor the release of the lease that was to be handed over to the acquire
     * @param holdUntil the monotonic time until which others are kept from the key; a time in the past: no hold
     * @param held the last confirmation of the lease, which allows a delay; {@code null}: the release is not delayed
     * @param done completes once the table no longer shows the lease, or the lease has expired. If the release is
     *     delayed, the caller must complete {@code done}
     * @param sending sends the release on the calling thread; {@code null}: a sender thread sends it
     */
    Release(
            EngineParts parts,
            LeaseSpec spec,
            Tenure tenure,
            @Nullable Release predecessor,
            Report report,
            long holdUntil,
            @Nullable Confirmed held,
            CompletableFuture<Void> done,
            Sender.@Nullable Sending sending) {
        this.parts = parts;
        this.spec = spec;
        this.keys = spec.items();
        this.tenure = tenure.id();
        this.begun = parts.time.nanos();
        this.own = tenure.versions(1, tenure.last()); // 5.3: everything that this tenure may have written
        this.predecessor = predecessor == null ? null : predecessor.own;
        this.largestToken = tenure.largestToken();
        this.longestClaim = tenure.longestClaim();
        this.unanswered = tenure.isUnanswered();
        this.report = report;
        this.keptLonger = tenure.isKeptLonger();
        this.hadHistory = tenure.before().has(RecordTable.HISTORY);
        this.holdUntil = holdUntil;
        // 6: a hold is a version of a tenure without a holder. Few releases need its random UUID.
        this.holdVersion = holdUntil - begun > 0 ? Tenure.version(parts.tenures.get(), tenure.last() + 1) : "";
        boolean cleared = report.progress.removes().contains(ItemProgress.DATA);
        boolean writes = report.progress.sets().has(ItemProgress.DATA);
        boolean mayHaveProgress = !cleared && (writes || report.mayHaveSaved || tenure.mayHave(ItemProgress.DATA));
        // 7: an item with records refuses an acquire that would not keep the item for longer.
        boolean mayHaveHad = keptLonger || predecessor != null;
        boolean mayHaveAny = mayHaveHad && (tenure.mayHave(ItemRun.NAME) || runName() != null || mayHaveProgress);
        this.mayHaveRecords = new HashSet<>(!spec.isGroup() && mayHaveAny ? spec.items() : List.of());
        boolean mayDelay = report.isNone() && parts.settings.releaseInBackground;
        this.delay =
                mayDelay && held != null ? Delay.of(holdUntil, largestToken, held, parts.rules, parts.clock) : null;
        this.done = delay == null ? done : new CompletableFuture<>();
        this.sending = sending;
    }

    /** Creates the release of only this one of several keys. */
    private Release(Release other, String key) {
        this.parts = other.parts;
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
        this.delay = null;
        this.done = new CompletableFuture<>();
        this.sending = null;
    }

    /**
     * Prevents log lines about failures of this release, because nobody had the lease or the end of the lease is
     * already logged.
     */
    Release quietly() {
        quiet = true;
        return this;
    }

    boolean isQuiet() {
        return quiet;
    }

    /** Returns the name of the run to record; {@code null}: none. */
    @Nullable
    String runName() {
        return report.run == null ? null : report.run.name();
    }

    /** Returns the delay of this release; {@code null}: sent at once. */
    @Nullable
    Delay delay() {
        return delay;
    }

    List<String> keys() {
        return keys;
    }

    UUID tenure() {
        return tenure;
    }

    /** Returns the monotonic time at which the release started. */
    long begun() {
        return begun;
    }

    /** Returns all versions that the tenure may have written. */
    VersionRange versions() {
        return own;
    }

    /** Returns whether the item shows a write of the tenure. */
    boolean isShownBy(@Nullable LeaseItem item) {
        return item != null && item.version() != null && own.contains(item.version());
    }

    /** Returns whether a write of the tenure may still be applied. */
    boolean isUnanswered() {
        return unanswered;
    }

    /** Returns the time, in nanoseconds, for which the writes of the tenure may keep the lease after the release. */
    long longestClaim() {
        return longestClaim;
    }

    CompletableFuture<Void> done() {
        return done;
    }

    /** Returns whether a reply has shown that this release was applied. */
    boolean isApplied() {
        return applied;
    }

    /**
     * Completes when a reply or a timeout shows the outcome of an attempt, or when no clock sample is available.
     * Does not complete if the release is sent again immediately after a reply. There is no time limit while the
     * release waits for the request limiter.
     */
    CompletableFuture<Void> settled() {
        return settled;
    }

    /** Returns whether an acquire of this process may overwrite the writes that this release ends (5.3, 7). */
    boolean mayBeOverwritten() {
        boolean writesRecords = runName() != null || report.progress.changesRecords();
        return parts.rules.mayBeOverwritten(holdUntil - parts.time.nanos() > 0, writesRecords);
    }

    void send() {
        if (failures > 0 && mayBeOverwritten()) {
            parts.observer.ended(tenure()); // the hold ended before it was written
        }
        if (reading() == null) {
            return; // a clock sample is needed first
        }
        String sharing = mayTravelWithOthers() ? key() : null;
        parts.requests.inTurn(RequestLimiter.Kind.RELEASE, sharing, Runnable::run, sending, this::send);
    }

    private void sendAlone(Requests.Reply undecided) {
        parts.requests.inTurn(RequestLimiter.Kind.RELEASE, Runnable::run, sending, this::send);
    }

    private String key() {
        return keys().get(0);
    }

    /**
     * Returns the time bounds for a request; {@code null}: a clock sample is needed first, after which the release
     * continues.
     */
    private BoundedClock.@Nullable Reading reading() {
        BoundedClock.Reading reading = parts.rules.beforeSending(parts.clock);
        if (reading == null) {
            sync();
        }
        return reading;
    }

    private void sync() {
        parts.path.sync().sync(key(), (failure, rejected) -> {
            if (failure == null) {
                send();
            } else {
                retry(failure);
            }
        });
    }

    private void send(Requests.Outgoing request) {
        BoundedClock.Reading reading = reading();
        if (reading != null) {
            request.join(
                    LeaseSpec.forEach(keys(), key -> command(key, reading)),
                    new Requests.Pending(reading, this::onReply),
                    () -> true,
                    this::sendAlone);
        }
    }

    private void complete() {
        settled.complete(null);
        done.complete(null);
    }

    private void onReply(Requests.Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            retry(failed.cause());
        } else if (learnRecords(reply.refusals(keys()))) {
            reply.refusals(keys()).forEach(this::warnOfOtherOrder);
            send();
        } else if (reply.outcome() instanceof StoreReply.GroupRefused refused) {
            warnOfRepetition(refused.refusals());
            releaseOthers(
                    refused.refusals().stream().map(StoreReply.Refusal::key).toList());
        } else if (reply.outcome() instanceof StoreReply.Applied answered) {
            parts.observer.released(keys(), answered.waitingSinceMillis() != null, reply.at());
            applied = true;
            complete();
        } else {
            warnOfRepetition(reply.refusals(keys()));
            complete(); // refused: no write of this tenure is in the item now; a later copy ends with its ttl
        }
    }

    private void warnOfOtherOrder(StoreReply.Refusal refusal) {
        String done = runInOtherOrder(refusal);
        if (done != null && parts.releases.otherOrderTold.compareAndSet(false, true)) {
            parts.lines.warn(() -> log.warn(
                    "Lease {} is used for runs in any order, but its item shows run {} of runs in growing order: runs"
                            + " that were done before the change of 'onceOrder' may be executed again",
                    Text.quote(refusal.key()),
                    Text.quote(done)));
        }
    }

    /**
     * Logs that the run was not recorded, because the lease no longer belonged to this tenure when the release
     * arrived.
     */
    private void warnOfRepetition(List<StoreReply.Refusal> refusals) {
        Optional<StoreReply.Refusal> lacking = refusals.stream()
                .filter(refusal -> lacksRun(refusal.key(), refusal.item()))
                .findFirst();
        if (lacking.isPresent() && !quiet) {
            String keys = Text.quoteAll(ofLeases(keys().stream()));
            String why = whyRefused(lacking.get().item());
            parts.lines.warn(() -> log.warn(
                    "The release of lease {} was refused, because {}, so run {} may be executed again",
                    keys,
                    why,
                    Text.quote(runName())));
        }
    }

    /**
     * Releases the other keys individually. Some keys no longer belong to this tenure, so none was released (5.3,
     * 6).
     */
    private void releaseOthers(List<String> notOurs) {
        List<Release> others = keys().stream()
                .filter(key -> !notOurs.contains(key))
                .map(this::alone)
                .toList();
        CompletableFuture.allOf(others.stream().map(Release::done).toArray(CompletableFuture[]::new))
                .thenRun(() -> {
                    logUnreleased(others.stream()
                            .filter(one -> one.unreleased != null)
                            .toList());
                    complete();
                });
        others.forEach(Release::send);
    }

    /** Logs one line for these releases of the same lease. */
    private void logUnreleased(List<Release> unconfirmed) {
        if (unconfirmed.isEmpty()) {
            return;
        }
        String why = unconfirmed.get(0).unreleased;
        List<String> named = ofLeases(unconfirmed.stream().flatMap(one -> one.keys().stream()));
        String keys = Text.quoteAll(named.isEmpty() ? ofLeases(keys().stream()) : named); // may be the run's item only
        String text = "The release of lease {} was not confirmed before the lease expired: {}";
        Runnable debug = () -> log.debug(text, keys, why);
        if (quiet) {
            Quietly.run(debug);
        } else if (runName() != null) {
            parts.lines.warn(() -> log.warn(
                    "The release of lease {} was not confirmed before the lease expired, so run {} may be executed"
                            + " again: {}",
                    keys,
                    Text.quote(runName()),
                    why));
        } else {
            parts.lines.warnUnlessOut(() -> log.warn(text, keys, why), debug);
        }
    }

    private static List<String> ofLeases(Stream<String> keys) {
        return keys.filter(key -> !Checks.isRunItem(key)).toList();
    }

    private Release alone(String key) {
        return new Release(this, key).quietly(); // logged for all keys
    }

    private void retry(Throwable why) {
        settled.complete(null);
        if (isOver(parts.clock.now())) {
            unreleased = Text.why(why);
            logUnreleased(List.of(this));
            complete();
        } else {
            failures++;
            parts.time.schedule(Requests.backoff(failures, MAX_BACKOFF, parts.random), this::send);
        }
    }

    // ---- content

    /** Returns whether the name of the run was to be recorded in this item, but the item shows that it was not. */
    private boolean lacksRun(String key, @Nullable LeaseItem item) {
        String name = runName();
        return name != null && spec.onceOf(key) != null && (item == null || !ItemRun.isDone(item.records(), name));
    }

    /**
     * If the item was used for runs in growing order, and the key is now used for runs in any order, returns the name
     * of the run in the item; otherwise {@code null}.
     */
    private @Nullable String runInOtherOrder(StoreReply.Refusal refusal) {
        LeaseItem item = refusal.item();
        boolean inAnyOrder = spec.once() != null && !spec.keys().contains(spec.runKey());
        return inAnyOrder && item != null && isShownBy(item) && spec.keys().contains(item.key())
                ? item.records().text(ItemRun.NAME)
                : null;
    }

    /**
     * Returns why a release was refused, given the item that its reply shows; {@code null}: the reply shows no item.
     */
    private String whyRefused(@Nullable LeaseItem item) {
        if (item == null) {
            return "its item is no longer in the table";
        }
        return Tenure.isOfAnother(item, largestToken) ? "another owner has acquired it" : "it was released by force";
    }

    /** Returns whether the writes that the release ends have surely expired. */
    private boolean isOver(long now) {
        return now - begun > longestClaim + drift(longestClaim) + MARGIN;
    }

    private ReleaseCommand command(String key, BoundedClock.Reading reading) {
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
    private boolean mayTravelWithOthers() {
        return keys.size() == 1 && !mayDelete(keys.get(0));
    }

    private boolean mayDelete(String key) {
        return parts.settings.releaseMode == ReleaseMode.DELETE
                && report.history == null
                && parts.rules.mayDelete(unanswered, mayHaveRecords(key));
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
        return parts.records.retention(mayHaveAny);
    }

    private @Nullable Long keptUntil(String key, BoundedClock.Reading reading, long hold) {
        boolean isKept = keptLonger || hadHistory || !report.isNone(); // otherwise it has nothing worth keeping
        return parts.records.keptUntil(isKept, reading, hold + retention(key, true), largestToken);
    }

    private ReleaseCommand.Form form(String key, BoundedClock.Reading reading, long hold) {
        if (hold > 0) {
            long expiry = parts.rules.holdExpiry(reading.earliest(), hold, largestToken);
            long duration = Math.max(hold, expiry * SECOND - reading.earliest()) / MILLI;
            return new ReleaseCommand.Hold(holdVersion, expiry, duration, reading.middleMillis(), largestToken);
        }
        if (mayDelete(key) && parts.rules.mayBeForgotten(largestToken, reading)) {
            return new ReleaseCommand.Delete();
        }
        return new ReleaseCommand.Retain(
                parts.rules.expiry(reading.latest(), retention(key, false), largestToken), reading.middleMillis());
    }

    /**
     * Handles refusals of this release. If a refusing item still belongs to this tenure, it has records that were not
     * expected. Returns whether such records were found; the next attempt keeps them.
     */
    private boolean learnRecords(List<StoreReply.Refusal> refusals) {
        boolean any = false;
        for (StoreReply.Refusal refusal : refusals) {
            boolean ours = isShownBy(refusal.item())
                    || (predecessor != null && refusal.version() != null && predecessor.contains(refusal.version()));
            any |= ours && mayHaveRecords.add(refusal.key());
        }
        return any;
    }
}
