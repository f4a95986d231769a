package io.leasekit.kernel;

import static io.leasekit.requests.BoundedClock.drift;
import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.ReleaseMode;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
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
 * The release of one lease, or of an acquire that was given up (protocol 5.3, 6, 7). The release ends the lease no
 * matter which write of its {@link Tenure} the item shows. While the store fails, the release is retried in the
 * background until the lease has surely expired. The steps of a release run one after the other.
 */
@Internal
public final class Release {

    private static final Logger log = LoggerFactory.getLogger(Release.class);
    private static final long MAX_BACKOFF = 5 * SECOND;
    private static final long MARGIN = 10 * SECOND;

    /** The delay of a release that is sent at the end of a short hold, instead of at once (protocol 6.5). */
    public record Delay(long until, long begunAtMillis, long endsAtMillis) {

        /** Returns {@code null} if the release is sent at once. */
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
    private final LeaseRecords.Ending records;
    private final boolean keptLonger;
    private final long holdUntil;
    // The version that a hold gets in the item; empty if no hold was due when the release started.
    private final String holdVersion;
    // The keys of the items that may have records, as far as this process knows.
    private final Set<String> mayHaveRecords;
    private final @Nullable Delay delay;
    private final CompletableFuture<Void> done;
    private final CompletableFuture<Void> settled = new CompletableFuture<>();
    // This object sends the first request, and sender threads send the retries.
    private final Sender.@Nullable Sending sending;
    private int failures;
    // The release logs no warning if no caller had the lease or another line reports the end.
    private volatile boolean quiet;
    private volatile @Nullable String unreleased; // why the release was not confirmed
    private volatile boolean applied;

    /**
     * @param predecessor the release of the lease that was to be handed over to the acquire; {@code null}: none
     * @param holdUntil the monotonic time until which other owners are kept from the key; a past time has no effect
     * @param held the last confirmation of the lease; {@code null} if the release must not be delayed
     * @param done completes once the table no longer shows the lease, or the lease has expired. The caller must
     *     complete {@code done} if the release is delayed
     */
    Release(
            EngineParts parts,
            LeaseSpec spec,
            Tenure tenure,
            @Nullable Release predecessor,
            LeaseRecords.Ending records,
            long holdUntil,
            @Nullable Confirmed held,
            CompletableFuture<Void> done,
            Sender.@Nullable Sending sending) {
        this.parts = parts;
        this.spec = spec;
        this.keys = spec.items();
        this.tenure = tenure.id();
        this.begun = parts.time.nanos();
        // Protocol 5.3: the release ends every version that this tenure may have written.
        this.own = tenure.versions(1, tenure.last());
        this.predecessor = predecessor == null ? null : predecessor.own;
        this.largestToken = tenure.largestToken();
        this.longestClaim = tenure.longestClaim();
        this.unanswered = tenure.isUnanswered();
        this.records = records;
        this.keptLonger = tenure.isKeptLonger();
        this.holdUntil = holdUntil;
        // Protocol 6: the version of a hold has a new tenure id, which no acquire uses.
        this.holdVersion = holdUntil - begun > 0 ? Tenure.version(parts.tenures.get(), tenure.last() + 1) : "";
        // Protocol 7: DynamoDB grants an acquire without 'keptLonger' only if the item has no records.
        boolean mayHaveHad = keptLonger || predecessor != null;
        boolean mayHaveAny = mayHaveHad && records.mayLeaveRecords();
        this.mayHaveRecords = new HashSet<>(!spec.isGroup() && mayHaveAny ? spec.items() : List.of());
        boolean mayDelay = records.isNone() && parts.settings.releaseInBackground;
        this.delay =
                mayDelay && held != null ? Delay.of(holdUntil, largestToken, held, parts.rules, parts.clock) : null;
        this.done = delay == null ? done : new CompletableFuture<>();
        this.sending = sending;
    }

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
        this.records = other.records;
        this.keptLonger = other.keptLonger;
        this.holdUntil = other.holdUntil;
        this.holdVersion = other.holdVersion;
        this.mayHaveRecords = new HashSet<>(other.mayHaveRecords);
        this.delay = null;
        this.done = new CompletableFuture<>();
        this.sending = null;
    }

    Release quietly() {
        quiet = true;
        return this;
    }

    boolean isQuiet() {
        return quiet;
    }

    @Nullable
    String runName() {
        return records.run();
    }

    @Nullable
    public Delay delay() {
        return delay;
    }

    List<String> keys() {
        return keys;
    }

    public UUID tenure() {
        return tenure;
    }

    long begun() {
        return begun;
    }

    VersionRange versions() {
        return own;
    }

    boolean isShownBy(@Nullable LeaseItem item) {
        return item != null && item.version() != null && own.contains(item.version());
    }

    boolean isUnanswered() {
        return unanswered;
    }

    /** Returns the longest time for which a write of the tenure has requested the lease, in nanoseconds. */
    long longestClaim() {
        return longestClaim;
    }

    CompletableFuture<Void> done() {
        return done;
    }

    boolean isApplied() {
        return applied;
    }

    /**
     * Completes when the release is done, or when a failed attempt waits for its retry. The future has no timeout,
     * because the request may wait long for the request limiter.
     */
    public CompletableFuture<Void> settled() {
        return settled;
    }

    /**
     * Protocol 5.3, 7: returns whether an acquire of this process may overwrite the lease before the release is
     * applied.
     */
    boolean mayBeOverwritten() {
        return parts.rules.mayBeOverwritten(holdUntil - parts.time.nanos() > 0, records.mustBeWritten());
    }

    void send() {
        if (failures > 0 && mayBeOverwritten()) {
            parts.observer.ended(tenure()); // a hold of this release may have ended since the first attempt
        }
        if (reading() == null) {
            return;
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

    /** Without a recent clock sample, returns {@code null}, gets a sample, and sends the release afterwards. */
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
            // DynamoDB refused the release, because the item does not show this lease.
            // If DynamoDB applies a write of this lease later, the lease of that write expires with its ttl.
            complete();
        }
    }

    private void warnOfRepetition(List<StoreReply.Refusal> refusals) {
        Optional<StoreReply.Refusal> lacking = refusals.stream()
                .filter(refusal -> records.lacksRun(refusal.key(), refusal.item()))
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
     * Protocol 5.3, 6: the release of all keys was refused, so the keys except {@code notOurs} are released one by one.
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

    private void logUnreleased(List<Release> unconfirmed) {
        if (unconfirmed.isEmpty()) {
            return;
        }
        String why = unconfirmed.get(0).unreleased;
        List<String> named = ofLeases(unconfirmed.stream().flatMap(one -> one.keys().stream()));
        // If only a run's item is unreleased, 'named' is empty.
        String keys = Text.quoteAll(named.isEmpty() ? ofLeases(keys().stream()) : named);
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
        // The warning of this release names all keys, so the new release logs none.
        return new Release(this, key).quietly();
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

    private String whyRefused(@Nullable LeaseItem item) {
        if (item == null) {
            return "its item is no longer in the table";
        }
        return Tenure.isOfAnother(item, largestToken) ? "another owner has acquired it" : "it was released by force";
    }

    private boolean isOver(long now) {
        return now - begun > longestClaim + drift(longestClaim) + MARGIN;
    }

    private ReleaseCommand command(String key, BoundedClock.Reading reading) {
        long hold = holdUntil - reading.sent();
        ReleaseCommand.Form form = form(key, reading, hold);
        // Protocol 7: the reply to an acquire of several items shows no records, so the release checks for records.
        boolean unlessRecords = spec.isGroup() && !mayHaveRecords(key) && hold <= 0;
        Edits edits = Edits.builder()
                .add(records.edits(key, form instanceof ReleaseCommand.Delete, unlessRecords))
                .keptUntil(hold > 0 ? keptUntil(key, reading, hold) : null)
                .build();
        return new ReleaseCommand(key, own, predecessor, form, edits);
    }

    /** Protocol 5.10: a batch contains only releases of one key that do not delete the item. */
    private boolean mayTravelWithOthers() {
        return keys.size() == 1 && !mayDelete(keys.get(0));
    }

    private boolean mayDelete(String key) {
        return parts.settings.releaseMode == ReleaseMode.DELETE
                && !records.retainsItem()
                && parts.rules.mayDelete(unanswered, mayHaveRecords(key));
    }

    private boolean mayHaveRecords(String key) {
        return mayHaveRecords.contains(key) || (spec.isGroup() && spec.onceOf(key) != null);
    }

    /** A hold for several items does not check their records, so the hold keeps the items as if they had records. */
    private long retention(String key, boolean isHold) {
        boolean mayHaveAny = mayHaveRecords(key) || (isHold && spec.isGroup() && keptLonger);
        return parts.records.retention(mayHaveAny);
    }

    private @Nullable Long keptUntil(String key, BoundedClock.Reading reading, long hold) {
        // An item without records needs no protection from item TTL.
        boolean isKept = keptLonger || records.isWorthKeeping();
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
     * Remembers items that refused the release because of records that this process did not know. Returns whether a
     * further item was remembered.
     */
    private boolean learnRecords(List<StoreReply.Refusal> refusals) {
        boolean any = false;
        for (StoreReply.Refusal refusal : refusals) {
            boolean ours = isShownBy(refusal.item())
                    || (predecessor != null && refusal.version() != null && predecessor.contains(refusal.version()));
            if (ours && mayHaveRecords.add(refusal.key())) {
                any = true;
                LeaseItem item = refusal.item();
                if (item != null && isShownBy(item)) {
                    records.onFound(item);
                }
            }
        }
        return any;
    }
}
