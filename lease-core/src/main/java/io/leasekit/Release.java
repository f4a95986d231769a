package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;
import static io.leasekit.LeaseRules.drift;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what a tenure may have written (protocol 5.3), and goes on trying in the background while the store does not
 * answer, until the lease has surely ended by itself.
 */
final class Release {

    private static final Logger log = LoggerFactory.getLogger(Release.class);
    private static final long MAX_BACKOFF = 5 * SECOND;
    private static final long MARGIN = 10 * SECOND;

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final List<String> keys;
    private final VersionRange own;
    private final @Nullable VersionRange predecessor;
    private final long largestToken;
    private final boolean mayDelete;
    private final boolean mayHaveRun;
    private final @Nullable LeaseRun run;
    private final long begun;
    private final long holdUntil;
    private final String holdVersion;
    private final CompletableFuture<Void> done;
    private int failures; // touched by one step at a time

    /** {@code holdUntil}: the monotonic time until which the key is to be kept, {@code begun} or earlier for not at all. */
    private Release(LeaseEngine engine, HandOver over, @Nullable VersionRange predecessor, long begun, long holdUntil) {
        Tenure tenure = over.tenure();
        this.engine = engine;
        this.terms = over.terms();
        this.keys = terms.keys();
        this.own = over.versions();
        this.predecessor = predecessor;
        this.largestToken = tenure.largestToken();
        this.mayDelete = engine.settings.releaseMode() == ReleaseMode.DELETE && !tenure.isUnanswered();
        this.mayHaveRun = tenure.mayHaveRun();
        this.run = over.run();
        this.begun = begun;
        this.holdUntil = holdUntil;
        this.done = over.released();
        this.holdVersion = holdUntil - begun > 0 ? holdVersion(tenure) : ""; // a random number that few need
    }

    private String holdVersion(Tenure tenure) {
        return Tenure.version(engine.rules.holdTenure(tenure, engine.newTenure()), tenure.last() + 1);
    }

    /** The release of one key of several. */
    private Release(Release whole, String key) {
        this.engine = whole.engine;
        this.terms = whole.terms;
        this.keys = List.of(key);
        this.own = whole.own;
        this.predecessor = whole.predecessor;
        this.largestToken = whole.largestToken;
        this.mayDelete = whole.mayDelete;
        this.mayHaveRun = whole.mayHaveRun;
        this.run = whole.run;
        this.begun = whole.begun;
        this.holdUntil = whole.holdUntil;
        this.holdVersion = whole.holdVersion;
        this.done = new CompletableFuture<>();
    }

    /** The release of a lease whose work has ended. */
    static Release of(LeaseEngine engine, HandOver over) {
        LeaseTerms terms = over.terms();
        long now = engine.time.nanos();
        long holdUntil = now + Math.max(over.acquired() + terms.holdAtLeast() - now, terms.cooldown());
        return new Release(engine, over, null, now, terms.holds() ? holdUntil : now);
    }

    /** The release of what an acquire that was given up may have left, and of the lease that it was to take over. */
    static Release ofGivenUp(LeaseEngine engine, LeaseTerms terms, Tenure tenure, @Nullable HandOver over) {
        long now = engine.time.nanos();
        if (over != null && tenure.last() == 0) {
            return new Release(engine, over, null, now, now); // it has written nothing
        }
        tenure.forgetRun(); // what it saw may be older than what it left
        VersionRange own = engine.rules.ownBeforeRelease(tenure);
        CompletableFuture<Void> released = over == null ? new CompletableFuture<>() : over.released();
        VersionRange predecessor = over == null ? null : engine.rules.predecessorBeforeRelease(over.versions());
        return new Release(engine, new HandOver(terms, tenure, own, now, null, released), predecessor, now, now);
    }

    List<String> keys() {
        return keys;
    }

    CompletableFuture<Void> done() {
        return done;
    }

    void send() {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(keys.get(0), failure -> {
                if (failure == null) {
                    send();
                } else {
                    retry(failure.getMessage());
                }
            });
            return;
        }
        List<ReleaseCommand> commands = LeaseTerms.forEach(keys, key -> command(key, reading));
        engine.requests.send(reading, Requests.TIMEOUT, engine.requests.write(commands), this::onReply);
    }

    private ReleaseCommand command(String key, BoundedClock.Reading reading) {
        ReleaseCommand.Form form = form(key, reading);
        LeaseRun recorded = form instanceof ReleaseCommand.Delete || run == null ? null : run.inItem(terms.onceOf(key));
        return new ReleaseCommand(key, own, predecessor, form, recorded);
    }

    /** Whether the item may tell of a run, which must not be forgotten. */
    private boolean tellsOfRun(String key) {
        return mayHaveRun || terms.onceOf(key) != null;
    }

    private ReleaseCommand.Form form(String key, BoundedClock.Reading reading) {
        long hold = holdUntil - reading.sent();
        if (hold > 0) {
            long expiry = engine.rules.holdExpiry(reading.earliest(), hold, largestToken);
            long duration = Math.max(hold, expiry * SECOND - reading.earliest()) / MILLI;
            return new ReleaseCommand.Hold(holdVersion, expiry, duration, reading.middleMillis());
        }
        if (mayDelete && !tellsOfRun(key) && largestToken < reading.earliest() / MILLI) {
            return new ReleaseCommand.Delete();
        }
        LeaseSettings settings = engine.settings;
        long retention = LeaseTerms.nanos(tellsOfRun(key) ? settings.onceRetention() : settings.retention());
        return new ReleaseCommand.Retain(
                engine.rules.expiry(reading.latest(), retention, largestToken), reading.middleMillis());
    }

    private void onReply(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            retry(failed.cause().getMessage());
        } else if (reply.outcome() instanceof StoreReply.GroupRefused refused && engine.rules.releasesOthers()) {
            releaseOthers(
                    refused.refusals().stream().map(StoreReply.Refusal::key).collect(Collectors.toSet()));
        } else {
            if (reply.outcome() instanceof StoreReply.Applied applied) {
                takesTurns(applied.waitingSinceMillis() != null, reply.at());
            }
            done.complete(null); // refused: nothing of this tenure is left to release
        }
    }

    /** Who waits in another process is to get the lease before this one wants it again (6). */
    private void takesTurns(boolean waitedFor, long now) {
        for (String key : keys) {
            Contention contention =
                    waitedFor ? engine.observations.contended(key, now) : engine.observations.contention(key);
            if (contention != null) {
                contention.released(waitedFor, now);
            }
        }
    }

    /** Some keys are this tenure's no more, so that none was released: the others are, each by itself. */
    private void releaseOthers(Set<String> notOurs) {
        List<Release> others = keys.stream()
                .filter(key -> !notOurs.contains(key))
                .map(key -> new Release(this, key))
                .toList();
        CompletableFuture.allOf(others.stream().map(Release::done).toArray(CompletableFuture[]::new))
                .thenRun(() -> done.complete(null));
        others.forEach(Release::send);
    }

    private void retry(@Nullable String why) {
        long now = engine.clock.now();
        if (now - begun > terms.ttl() + drift(terms.ttl()) + MARGIN) {
            log.warn("Lease {} could not be released and ends with its ttl: {}", Text.quoteAll(keys), why);
            done.complete(null);
        } else {
            failures++;
            engine.time.schedule(Backoff.delayNanos(failures, MAX_BACKOFF, engine.random), this::send);
        }
    }
}
