package io.leasekit.engine;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.log.LineLimit;
import io.leasekit.observe.Observer;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.ClockSync;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.RequestPath;
import io.leasekit.requests.Requests;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.text.Text;
import io.leasekit.threads.Sender;
import io.leasekit.time.EngineTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The releases of one manager (protocol 5.3, 6.5): creates them, delays them for short holds, sends them, and tracks
 * them until they are done. {@link Release} is a single release. Thread-safe.
 */
final class Releases {

    private static final Logger log = LoggerFactory.getLogger(Releases.class);
    private static final long MAX_BACKOFF = 5 * SECOND;

    private final LeaseSettings settings;
    private final LeaseRules rules;
    private final EngineTime time;
    private final BoundedClock clock;
    private final Requests requests;
    private final ClockSync sync;
    private final Observer observer;
    private final RandomGenerator random;
    private final ReleaseDraft.Shared drafts;
    private final LineLimit lines;
    private final Runnable onDone;
    private final ConcurrentMap<Release, Long> underWay = new ConcurrentHashMap<>(); // value: when its lease ended
    private final ConcurrentMap<UUID, Delayed> delayed = new ConcurrentHashMap<>(); // by tenure
    private final AtomicBoolean otherOrderTold = new AtomicBoolean(); // logged once: each release finds the same
    private volatile boolean closing; // no further release is delayed

    /** {@code onDone}: called whenever a release is done. */
    Releases(
            LeaseSettings settings,
            LeaseRules rules,
            LeaseRecords records,
            EngineParts.Surroundings around,
            RequestPath path,
            Observer observer,
            LineLimit lines,
            Runnable onDone) {
        this.settings = settings;
        this.rules = rules;
        this.time = around.time();
        this.clock = path.clock();
        this.requests = path.requests();
        this.sync = path.sync();
        this.observer = observer;
        this.random = around.random();
        this.drafts = new ReleaseDraft.Shared(settings, rules, records, around.tenures());
        this.lines = lines;
        this.onDone = onDone;
    }

    // ---- sending

    /**
     * Sends a release. From now on the versions of its tenure count as dead, unless the release writes a hold or the
     * name of a run, or changes progress.
     */
    void send(Release release) {
        send(release, time.nanos());
    }

    /** Sends the release of a lease or acquire that ended at {@code since}, in monotonic time. */
    void send(Release release, long since) {
        if (release.mayBeOverwritten()) {
            observer.ended(release.tenure());
        }
        underWay.put(release, since);
        delayed.remove(release.tenure());
        release.done().whenComplete((done, never) -> {
            underWay.remove(release);
            onDone.run();
        });
        release.send();
    }

    /** Records that the lease is handed over to an acquire of this process, so this release is not sent. */
    void handedOver(Release release) {
        underWay.remove(release);
    }

    /** Returns the releases that have started and are not done. */
    Set<Release> underWay() {
        return underWay.keySet();
    }

    /** Returns the monotonic times at which the leases or acquires of these releases ended. */
    LongStream sinceWhen() {
        return underWay.values().stream().mapToLong(Long::longValue);
    }

    /** Runs the step once the release is done, or after the timeout of one request. */
    void whenDone(CompletableFuture<Void> released, Runnable step) {
        CompletableFuture<Void> copy = released.thenRun(() -> {}); // the timeout completes this copy, not the original
        time.completeOnTimeout(copy, Requests.TIMEOUT).thenRun(step);
    }

    // ---- delays

    /** Delays a release (6.5). {@code send} sends it, and is called once: at the end of the delay, or on closing. */
    void delay(Release release, Runnable send) {
        Delayed one = new Delayed(release, send);
        delayed.put(release.tenure(), one);
        underWay.remove(release);
        one.sleep();
        if (closing) {
            one.end();
        }
    }

    /** Stops delaying releases. */
    void beginClosing() {
        closing = true;
    }

    /** Ends the current delays, in the order of their tenures. */
    void endDelays() {
        delayed.values().stream()
                .sorted(Comparator.comparing(one -> one.release.tenure()))
                .toList()
                .forEach(Delayed::end);
    }

    /** Returns whether no release is in progress or delayed. */
    boolean areAllDone() {
        // a release that moves to the other map at this moment is in both maps for a short time
        return underWay.isEmpty() && delayed.isEmpty() && underWay.isEmpty();
    }

    /** Returns the delay of the release of this tenure; {@code null}: not delayed. */
    ReleaseDraft.@Nullable Delay delayOf(@Nullable UUID tenure) {
        Delayed one = tenure == null ? null : delayed.get(tenure);
        return one == null ? null : one.release.delay();
    }

    private final class Delayed {
        private final Release release;
        private final Runnable send;
        private final AtomicBoolean ended = new AtomicBoolean();

        Delayed(Release release, Runnable send) {
            this.release = release;
            this.send = send;
        }

        /** Waits for the end of the delay. A release that is sent before the end of the delay would write a hold. */
        void sleep() {
            ReleaseDraft.Delay delay = release.delay();
            long left = delay == null ? 0 : delay.until() - time.nanos();
            if (left > 0 && !ended.get()) {
                time.schedule(left, this::sleep);
            } else {
                end();
            }
        }

        void end() {
            if (ended.compareAndSet(false, true)) {
                send.run();
            }
        }
    }

    // ---- creating

    /**
     * Creates the release of a lease under which no more code runs. The release counts as in progress from now until it
     * is done, delayed or handed over, even before its queue sends it.
     *
     * @param holdUntil the monotonic time until which others are kept from the key; a time in the past: no hold
     * @param report the outcome, progress and history to write
     * @param held the last confirmation of the lease, which allows a delay; {@code null}: the release is not delayed
     * @param done completes once the table no longer shows the lease, or the lease has expired. If the release is
     *     delayed, the caller must complete {@code done}
     * @param sending sends the release on the calling thread; {@code null}: a sender thread sends it
     */
    Release begin(
            LeaseSpec spec,
            Tenure tenure,
            long holdUntil,
            ReleaseDraft.Report report,
            @Nullable Confirmed held,
            CompletableFuture<Void> done,
            Sender.@Nullable Sending sending) {
        long now = time.nanos();
        boolean mayDelay = report.isNone() && settings.releaseInBackground;
        ReleaseDraft.Delay delay = mayDelay && held != null
                ? ReleaseDraft.Delay.of(holdUntil, tenure.largestToken(), held, rules, clock)
                : null;
        ReleaseDraft draft = draft(spec, tenure, null, report, now, holdUntil);
        CompletableFuture<Void> ended = delay == null ? done : new CompletableFuture<>();
        Release release = new Release(draft, delay, ended, sending);
        underWay.put(release, now);
        return release;
    }

    /**
     * Returns the release of an acquire that was given up. The release also covers the lease that was to be handed over
     * to the acquire.
     */
    Release ofGivenUp(LeaseSpec spec, Tenure tenure, @Nullable Release predecessor) {
        if (predecessor != null && tenure.last() == 0) {
            return predecessor; // the acquire has written nothing
        }
        tenure.forgetRecords(); // the acquire may have seen an item older than its own write
        long now = time.nanos();
        VersionRange before = predecessor == null ? null : predecessor.versions();
        CompletableFuture<Void> done = predecessor == null ? new CompletableFuture<>() : predecessor.done;
        tenure.covers(predecessor == null ? 0 : predecessor.draft.longestClaim());
        ReleaseDraft.Report report =
                ReleaseDraft.Report.ofHistory(RunHistory.withDead(spec, tenure, settings.runHistory));
        ReleaseDraft draft = draft(spec, tenure, before, report, now, now);
        return new Release(draft, null, done, null).quietly();
    }

    private ReleaseDraft draft(
            LeaseSpec spec,
            Tenure tenure,
            @Nullable VersionRange predecessor,
            ReleaseDraft.Report report,
            long begun,
            long holdUntil) {
        return new ReleaseDraft(drafts, spec, tenure, predecessor, report, begun, holdUntil);
    }

    /**
     * Releases everything that a tenure may have written. While the store fails, retries in the background until the
     * lease has surely expired. Before the release is sent, the lease may be handed over instead: the next acquire of
     * this process then overwrites the writes of the tenure (6.2).
     */
    final class Release {

        private final ReleaseDraft draft;
        private final ReleaseDraft.@Nullable Delay delay;
        private final CompletableFuture<Void> done;
        private final CompletableFuture<Void> settled = new CompletableFuture<>();
        private final Sender.@Nullable Sending sending; // for the first request
        private int failures; // used by one step at a time
        private volatile boolean quiet; // nobody had the lease, or its end is logged
        private volatile @Nullable String unreleased; // the reason why the release was not confirmed
        private volatile boolean applied;

        private Release(
                ReleaseDraft draft,
                ReleaseDraft.@Nullable Delay delay,
                CompletableFuture<Void> done,
                Sender.@Nullable Sending sending) {
            this.draft = draft;
            this.delay = delay;
            this.done = done;
            this.sending = sending;
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

        /** Returns the name of the run that this release records; {@code null}: none. */
        @Nullable
        String runName() {
            return draft.runName();
        }

        /** Returns the delay of this release; {@code null}: sent at once. */
        ReleaseDraft.@Nullable Delay delay() {
            return delay;
        }

        List<String> keys() {
            return draft.keys();
        }

        UUID tenure() {
            return draft.tenure();
        }

        VersionRange versions() {
            return draft.own();
        }

        /** Returns whether the item shows a write of the tenure. */
        boolean isShownBy(@Nullable LeaseItem item) {
            return draft.isShownBy(item);
        }

        /** Returns whether a write of the tenure may still be applied. */
        boolean isUnanswered() {
            return draft.isUnanswered();
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
            return draft.mayBeOverwritten(time.nanos());
        }

        void send() {
            if (failures > 0 && mayBeOverwritten()) {
                observer.ended(tenure()); // the hold ended before it was written
            }
            if (reading() == null) {
                return; // a clock sample is needed first
            }
            String sharing = draft.mayTravelWithOthers() ? key() : null;
            requests.inTurn(RequestLimiter.Kind.RELEASE, sharing, Runnable::run, sending, this::send);
        }

        private void sendAlone(Requests.Reply undecided) {
            requests.inTurn(RequestLimiter.Kind.RELEASE, Runnable::run, sending, this::send);
        }

        private String key() {
            return keys().get(0);
        }

        /**
         * Returns the time bounds for a request; {@code null}: a clock sample is needed first, after which the release
         * continues.
         */
        private BoundedClock.@Nullable Reading reading() {
            BoundedClock.Reading reading = rules.beforeSending(clock);
            if (reading == null) {
                sync();
            }
            return reading;
        }

        private void sync() {
            sync.sync(key(), (failure, rejected) -> {
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
                        LeaseSpec.forEach(keys(), key -> draft.command(key, reading)),
                        new Requests.Pending(reading, this::onReply),
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
            } else if (draft.learnRecords(reply.refusals(keys()))) {
                reply.refusals(keys()).forEach(this::warnOfOtherOrder);
                send();
            } else if (reply.outcome() instanceof StoreReply.GroupRefused refused) {
                warnOfRepetition(refused.refusals());
                releaseOthers(
                        refused.refusals().stream().map(StoreReply.Refusal::key).toList());
            } else if (reply.outcome() instanceof StoreReply.Applied answered) {
                observer.released(keys(), answered.waitingSinceMillis() != null, reply.at());
                applied = true;
                complete();
            } else {
                warnOfRepetition(reply.refusals(keys()));
                complete(); // refused: no write of this tenure is in the item now; a later copy ends with its ttl
            }
        }

        private void warnOfOtherOrder(StoreReply.Refusal refusal) {
            String done = draft.runInOtherOrder(refusal);
            if (done != null && otherOrderTold.compareAndSet(false, true)) {
                lines.warn(() -> log.warn(
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
                    .filter(refusal -> draft.lacksRun(refusal.key(), refusal.item()))
                    .findFirst();
            if (lacking.isPresent() && !quiet) {
                String keys = Text.quoteAll(ofLeases(keys().stream()));
                String why = draft.whyRefused(lacking.get().item());
                lines.warn(() -> log.warn(
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
            String keys =
                    Text.quoteAll(named.isEmpty() ? ofLeases(keys().stream()) : named); // may be the run's item only
            String text = "The release of lease {} was not confirmed before the lease expired: {}";
            Runnable debug = () -> log.debug(text, keys, why);
            if (quiet) {
                Quietly.run(debug);
            } else if (runName() != null) {
                lines.warn(() -> log.warn(
                        "The release of lease {} was not confirmed before the lease expired, so run {} may be executed"
                                + " again: {}",
                        keys,
                        Text.quote(runName()),
                        why));
            } else {
                lines.warnUnlessOut(() -> log.warn(text, keys, why), debug);
            }
        }

        private static List<String> ofLeases(Stream<String> keys) {
            return keys.filter(key -> !Checks.isRunItem(key)).toList();
        }

        private Release alone(String key) {
            return new Release(draft.of(key), null, new CompletableFuture<>(), null).quietly(); // logged for all keys
        }

        private void retry(Throwable why) {
            settled.complete(null);
            if (draft.isOver(clock.now())) {
                unreleased = Text.why(why);
                logUnreleased(List.of(this));
                complete();
            } else {
                failures++;
                time.schedule(Requests.backoff(failures, MAX_BACKOFF, random), this::send);
            }
        }
    }
}
