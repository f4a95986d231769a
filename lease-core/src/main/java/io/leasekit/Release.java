package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;
import static io.leasekit.LeaseRules.drift;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;
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
    private final Tenure tenure;
    private final VersionRange own;
    private final long begun;
    private final long holdUntil;
    private final String holdVersion;
    private final CompletableFuture<Void> done;
    private int failures; // touched by one step at a time

    /** {@code holdUntil}: the monotonic time until which the key is to be kept, {@code begun} or earlier for not at all. */
    private Release(
            LeaseEngine engine,
            LeaseTerms terms,
            Tenure tenure,
            long begun,
            long holdUntil,
            CompletableFuture<Void> done) {
        this.engine = engine;
        this.terms = terms;
        this.tenure = tenure;
        this.own = engine.rules.ownBeforeRelease(tenure);
        this.begun = begun;
        this.holdUntil = holdUntil;
        this.done = done;
        UUID holder = engine.rules.holdTenure(tenure, engine.newTenure());
        this.holdVersion = Tenure.version(holder, tenure.last() + 1);
    }

    /** The release of a lease whose work has ended. */
    static Release of(
            LeaseEngine engine, LeaseTerms terms, Tenure tenure, long acquired, CompletableFuture<Void> done) {
        long now = engine.clock.now();
        long holdUntil = now + Math.max(acquired + terms.holdAtLeast() - now, terms.cooldown());
        return new Release(engine, terms, tenure, now, terms.holds() ? holdUntil : now, done);
    }

    /** The release of what an acquire that was given up may have left. */
    static Release ofGivenUp(LeaseEngine engine, LeaseTerms terms, Tenure tenure) {
        long now = engine.clock.now();
        return new Release(engine, terms, tenure, now, now, new CompletableFuture<>());
    }

    CompletableFuture<Void> done() {
        return done;
    }

    void send() {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(terms.key(), failure -> {
                if (failure == null) {
                    send();
                } else {
                    retry(failure.getMessage());
                }
            });
            return;
        }
        ReleaseCommand command = new ReleaseCommand(terms.key(), own, null, form(reading));
        engine.requests.send(reading, Requests.TIMEOUT, timeout -> engine.store.write(command, timeout), this::onReply);
    }

    private ReleaseCommand.Form form(BoundedClock.Reading reading) {
        long hold = holdUntil - reading.sent();
        if (hold > 0) {
            long expiry = engine.rules.holdExpiry(reading.earliest(), hold, tenure.largestToken());
            long duration = Math.max(hold, expiry * SECOND - reading.earliest()) / MILLI;
            return new ReleaseCommand.Hold(holdVersion, expiry, duration, reading.middleMillis());
        }
        if (engine.settings.releaseMode() == ReleaseMode.DELETE
                && !tenure.isUnanswered()
                && tenure.largestToken() < reading.earliest() / MILLI) {
            return new ReleaseCommand.Delete();
        }
        long retention = LeaseTerms.nanos(engine.settings.retention());
        return new ReleaseCommand.Retain(
                engine.rules.expiry(reading.latest(), retention, tenure.largestToken()), reading.middleMillis());
    }

    private void onReply(Reply reply) {
        if (reply.outcome() instanceof StoreReply.Failed failed) {
            retry(failed.cause().getMessage());
        } else {
            done.complete(null); // refused: nothing of this tenure is left to release
        }
    }

    private void retry(@Nullable String why) {
        long now = engine.clock.now();
        if (now - begun > terms.ttl() + drift(terms.ttl()) + MARGIN) {
            log.warn("Lease {} could not be released and ends with its ttl: {}", Text.quote(terms.key()), why);
            done.complete(null);
        } else {
            failures++;
            engine.time.schedule(Backoff.delayNanos(failures, MAX_BACKOFF, engine.random), this::send);
        }
    }
}
