package io.leasekit.engine;

import static io.leasekit.engine.BoundedClock.drift;
import static io.leasekit.engine.LeaseRules.MILLI;
import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.ReleaseMode;
import io.leasekit.engine.Requests.Reply;
import io.leasekit.internal.EngineTime;
import io.leasekit.internal.Text;
import io.leasekit.store.ItemRun;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.StoreReply;
import io.leasekit.store.VersionRange;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates releases (protocol 5.3). This class is shared by all of them; {@link Release} is one release. Thread-safe.
 */
final class Releases {

    private static final Logger log = LoggerFactory.getLogger(Releases.class);
    private static final long MAX_BACKOFF = 5 * SECOND;
    private static final long MARGIN = 10 * SECOND;

    private final LeaseSettings settings;
    private final LeaseRules rules;
    private final EngineTime time;
    private final BoundedClock clock;
    private final Requests requests;
    private final ClockSync sync;
    private final SeenItems seen;
    private final RandomGenerator random;
    private final Supplier<UUID> tenures;

    Releases(
            LeaseSettings settings,
            LeaseRules rules,
            EngineTime time,
            BoundedClock clock,
            Requests requests,
            ClockSync sync,
            SeenItems seen,
            RandomGenerator random,
            Supplier<UUID> tenures) {
        this.settings = settings;
        this.rules = rules;
        this.time = time;
        this.clock = clock;
        this.requests = requests;
        this.sync = sync;
        this.seen = seen;
        this.random = random;
        this.tenures = tenures;
    }

    /**
     * Returns the release of a lease whose work has ended.
     *
     * @param acquired the monotonic time of the acquire
     * @param run the run to record; {@code null}: none
     * @param done completes once the table no longer shows the lease, or the lease has expired
     * @param sending sends on the calling thread; {@code null}: a sender thread does
     */
    Release of(
            LeaseTerms terms,
            Tenure tenure,
            long acquired,
            @Nullable ItemRun run,
            CompletableFuture<Void> done,
            Sender.@Nullable Sending sending) {
        long now = time.nanos();
        long holdUntil = now + Math.max(acquired + terms.holdAtLeast() - now, terms.cooldown());
        return new Release(terms, tenure, null, run, now, terms.holds() ? holdUntil : now, done, sending);
    }

    /**
     * Returns the release for a given-up acquire: of its possible writes, and of the lease that it was to take over.
     */
    Release ofGivenUp(LeaseTerms terms, Tenure tenure, @Nullable Release predecessor) {
        if (predecessor != null && tenure.last() == 0) {
            return predecessor; // it has written nothing
        }
        tenure.forgetRun(); // it may have seen an item older than its own write
        long now = time.nanos();
        return predecessor == null
                ? new Release(terms, tenure, null, null, now, now, new CompletableFuture<>(), null)
                : new Release(terms, tenure, predecessor.own, null, now, now, predecessor.done, null);
    }

    /**
     * Releases all that a tenure may have written. It retries in the background while the store fails, until the lease
     * has surely expired. Before it is sent, the lease may be handed over instead: then the next acquire of this
     * process overwrites the writes of the tenure (6).
     */
    final class Release {

        private final LeaseTerms terms;
        private final List<String> keys;
        private final UUID tenure;
        private final VersionRange own;
        private final @Nullable VersionRange predecessor;
        private final long largestToken;
        private final boolean unanswered;
        private final boolean mayHaveRun;
        private final @Nullable ItemRun run;
        private final long begun;
        private final long holdUntil;
        private final String holdVersion;
        private final CompletableFuture<Void> done;
        private final CompletableFuture<Void> settled = new CompletableFuture<>();
        private final Sender.@Nullable Sending sending; // for the first request
        private int failures; // touched by one step at a time

        /** {@code holdUntil}: the monotonic time until which others are kept from the key; {@code begun}: no hold. */
        private Release(
                LeaseTerms terms,
                Tenure tenure,
                @Nullable VersionRange predecessor,
                @Nullable ItemRun run,
                long begun,
                long holdUntil,
                CompletableFuture<Void> done,
                Sender.@Nullable Sending sending) {
            this.terms = terms;
            this.keys = terms.items();
            this.tenure = tenure.id();
            this.own = tenure.versions(1, tenure.last()); // 5.3: all that this tenure may have written
            this.predecessor = predecessor;
            this.largestToken = tenure.largestToken();
            this.unanswered = tenure.isUnanswered();
            this.mayHaveRun = tenure.mayHaveRun();
            this.run = run;
            this.begun = begun;
            this.holdUntil = holdUntil;
            this.done = done;
            this.sending = sending;
            // 6: a hold is a version of a tenure without a holder; few releases need its random UUID
            this.holdVersion = holdUntil - begun > 0 ? Tenure.version(tenures.get(), tenure.last() + 1) : "";
        }

        /** Creates the release of one key of several. */
        private Release(Release whole, String key) {
            this.terms = whole.terms;
            this.keys = List.of(key);
            this.tenure = whole.tenure;
            this.own = whole.own;
            this.predecessor = whole.predecessor;
            this.largestToken = whole.largestToken;
            this.unanswered = whole.unanswered;
            this.mayHaveRun = whole.mayHaveRun;
            this.run = whole.run;
            this.begun = whole.begun;
            this.holdUntil = whole.holdUntil;
            this.holdVersion = whole.holdVersion;
            this.done = new CompletableFuture<>();
            this.sending = null;
        }

        List<String> keys() {
            return keys;
        }

        /** Returns the ended tenure. */
        UUID tenure() {
            return tenure;
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

        CompletableFuture<Void> done() {
            return done;
        }

        /** Completes with the first reply to a request of this release or its timeout, however long it waits for its turn. */
        CompletableFuture<Void> settled() {
            return settled;
        }

        void send() {
            if (rules.beforeSending(clock) == null) {
                sync();
            } else {
                requests.inTurn(Gate.Kind.RELEASE, Runnable::run, sending, this::send);
            }
        }

        private void sync() {
            sync.sync(keys.get(0), failure -> {
                if (failure == null) {
                    send();
                } else {
                    retry(failure.getMessage());
                }
            });
        }

        private void send(Requests.Outgoing request) {
            BoundedClock.Reading reading = rules.beforeSending(clock);
            if (reading == null) {
                sync();
            } else {
                request.write(
                        LeaseTerms.forEach(keys, key -> command(key, reading)),
                        new Requests.Pending(reading, Requests.TIMEOUT, this::onReply));
            }
        }

        private void complete() {
            settled.complete(null);
            done.complete(null);
        }

        private ReleaseCommand command(String key, BoundedClock.Reading reading) {
            ReleaseCommand.Form form = form(key, reading);
            return new ReleaseCommand(
                    key, own, predecessor, form, form instanceof ReleaseCommand.Delete ? null : run(key));
        }

        /** Each item records the run; only the item that decides about it also records its name. */
        private @Nullable ItemRun run(String key) {
            return run == null
                    ? null
                    : new ItemRun(terms.onceOf(key), run.owner(), run.begunAt(), run.outcome(), run.duration());
        }

        /** Returns whether the item may record a run that must not be forgotten. */
        private boolean mayRecordRun(String key) {
            return mayHaveRun || terms.onceOf(key) != null;
        }

        private ReleaseCommand.Form form(String key, BoundedClock.Reading reading) {
            long hold = holdUntil - reading.sent();
            if (hold > 0) {
                long expiry = rules.holdExpiry(reading.earliest(), hold, largestToken);
                long duration = Math.max(hold, expiry * SECOND - reading.earliest()) / MILLI;
                return new ReleaseCommand.Hold(holdVersion, expiry, duration, reading.middleMillis());
            }
            boolean deletes = settings.releaseMode() == ReleaseMode.DELETE && !unanswered && !mayRecordRun(key);
            if (deletes && largestToken < reading.earliest() / MILLI) {
                return new ReleaseCommand.Delete();
            }
            long retention = LeaseTerms.nanos(mayRecordRun(key) ? settings.onceRetention() : settings.retention());
            return new ReleaseCommand.Retain(
                    rules.expiry(reading.latest(), retention, largestToken), reading.middleMillis());
        }

        private void onReply(Reply reply) {
            if (reply.outcome() instanceof StoreReply.Failed failed) {
                retry(failed.cause().getMessage());
            } else if (reply.outcome() instanceof StoreReply.GroupRefused refused) {
                releaseOthers(
                        refused.refusals().stream().map(StoreReply.Refusal::key).collect(Collectors.toSet()));
            } else {
                if (reply.outcome() instanceof StoreReply.Applied applied) {
                    takeTurns(applied.waitingSinceMillis() != null, reply.at());
                }
                complete(); // refused: no write of this tenure is left
            }
        }

        /** Notes the release, so waiters of other processes get the lease before this process asks again (6). */
        private void takeTurns(boolean waitedFor, long now) {
            for (String key : keys) {
                Contention contention = waitedFor ? seen.contended(key, now) : seen.contention(key);
                if (contention != null) {
                    contention.released(waitedFor, now);
                }
            }
        }

        /**
         * Releases the other keys individually: some keys no longer belong to this tenure, so none was released (5.3,
         * 6).
         */
        private void releaseOthers(Set<String> notOurs) {
            List<Release> others = keys.stream()
                    .filter(key -> !notOurs.contains(key))
                    .map(key -> new Release(this, key))
                    .toList();
            CompletableFuture.allOf(others.stream().map(Release::done).toArray(CompletableFuture[]::new))
                    .thenRun(this::complete);
            others.forEach(Release::send);
        }

        private void retry(@Nullable String why) {
            settled.complete(null);
            long now = clock.now();
            if (now - begun > terms.ttl() + drift(terms.ttl()) + MARGIN) {
                Quietly.run(() -> log.warn(
                        "Lease {} could not be released and ends with its ttl: {}", Text.quoteAll(keys), why));
                complete();
            } else {
                failures++;
                time.schedule(Requests.backoff(failures, MAX_BACKOFF, random), this::send);
            }
        }
    }
}
