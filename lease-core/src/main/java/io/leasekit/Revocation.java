package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One forced release (protocol 5.9), tried again for the store timeout. Only the token names the lease, and all its attempts
 * write the same: so one whose reply was lost is simply sent again. Its steps come one after the other.
 */
final class Revocation {

    private static final Logger log = LoggerFactory.getLogger(Revocation.class);
    private static final long MAX_BACKOFF = SECOND;

    private final LeaseEngine engine;
    private final String key;
    private final long token;
    private final boolean immediately;
    private final long begun;
    private final CompletableFuture<ForcedRelease> result = new CompletableFuture<>();
    private boolean unanswered;
    private int failures;

    Revocation(LeaseEngine engine, String key, long token, boolean immediately) {
        this.engine = engine;
        this.key = key;
        this.token = token;
        this.immediately = immediately;
        this.begun = engine.clock.now();
    }

    CompletableFuture<ForcedRelease> start() {
        attempt();
        return result;
    }

    private void attempt() {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(key, this::onSynced);
            return;
        }
        RevokeCommand command = new RevokeCommand(key, token, form(reading));
        engine.requests.send(reading, Requests.TIMEOUT, timeout -> engine.store.write(command, timeout), this::onReply);
    }

    private void onSynced(@Nullable LeaseStoreException failure) {
        if (failure == null) {
            attempt();
        } else {
            tryLater(failure);
        }
    }

    private RevokeCommand.Form form(BoundedClock.Reading reading) {
        if (!immediately) {
            return new RevokeCommand.Refuse(version(token));
        }
        // the item may tell of a run that must not be forgotten, which nobody has looked at
        long retention = LeaseTerms.nanos(engine.settings.onceRetention());
        return new RevokeCommand.Free(engine.rules.expiry(reading.latest(), retention, token), reading.middleMillis());
    }

    /**
     * Nobody's version for the lease with this token. It follows from the token, because an observer must never take it for
     * one that it saw before a later lease; for one token it never has to differ, since no renewal comes after it.
     */
    static String version(long token) {
        return Tenure.version(Tenure.NOBODY, (int) token);
    }

    private void onReply(Reply reply) {
        StoreReply outcome = reply.outcome();
        unanswered |= outcome.resent();
        if (outcome instanceof StoreReply.Applied) {
            done();
        } else if (outcome instanceof StoreReply.Refused refused) {
            onRefused(refused.item(), reply.at());
        } else if (outcome instanceof StoreReply.Failed failed) {
            onFailed(failed);
        }
    }

    private void onRefused(@Nullable LeaseItem item, long now) {
        boolean free = item != null && item.version() == null && item.token() != null && item.token() == token;
        if (free && unanswered) {
            done(); // as an earlier attempt left it
        } else {
            result.complete(new ForcedRelease.NotHeld(item == null ? null : engine.inspection.info(item, now)));
        }
    }

    private void onFailed(StoreReply.Failed failed) {
        LeaseStoreException error = engine.requests.error(key, failed.cause());
        unanswered |= failed.kind() == StoreReply.FailureKind.UNKNOWN;
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            result.completeExceptionally(error);
        } else {
            tryLater(error);
        }
    }

    private void tryLater(LeaseStoreException error) {
        failures++;
        long delay = Backoff.delayNanos(failures, MAX_BACKOFF, engine.random);
        long patience = LeaseTerms.nanos(engine.settings.storeTimeout());
        if (engine.isClosing() || engine.clock.now() - begun + delay > patience) {
            result.completeExceptionally(error);
        } else {
            engine.time.schedule(delay, this::attempt);
        }
    }

    private void done() {
        logDone();
        engine.events.publish(new LeaseEvent.ForceReleased(key, engine.settings.owner(), token, immediately));
        engine.renewNow(key, token);
        result.complete(new ForcedRelease.Done(key, token));
    }

    private void logDone() {
        LoggingEventBuilder line = immediately ? log.atWarn() : log.atInfo();
        line.addKeyValue("lease", Text.plain(key))
                .addKeyValue("token", token)
                .log(
                        immediately
                                ? "Lease {} with token {} was freed at once by force: its holder may still run, so two may"
                                        + " run now"
                                : "Lease {} with token {} was released by force: its renewals are refused, and it is free"
                                        + " when it would have ended by itself",
                        Text.quote(key),
                        token);
    }
}
