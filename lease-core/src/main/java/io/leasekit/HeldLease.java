package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;
import static io.leasekit.LeaseRules.drift;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;

/**
 * A lease that was granted, and its heartbeat.
 *
 * <pre>
 * HELD -> LOST    no renewal in time, refused with another's version, hold limit, manager closed
 * HELD -> ENDED   released
 * LOST -> ENDED   released: a late renewal may have prolonged the item
 * </pre>
 *
 * Nothing leads back: a late success revives no lost lease, and after the release no renewal is sent. All steps run in the
 * lease's mailbox; {@link #isValid()} and its like read what the last step published. Thread-safe.
 */
final class HeldLease implements Lease {

    private static final Logger log = LoggerFactory.getLogger(HeldLease.class);
    private static final long MAX_ATTEMPT = 2 * SECOND;
    private static final long MIN_ATTEMPT = SECOND / 10;
    private static final long MIN_BACKOFF = SECOND / 100;
    private static final long MAX_BACKOFF = 2 * SECOND;
    private static final int JITTER_SHARE = 10;

    private enum Phase {
        HELD,
        LOST,
        ENDED
    }

    /**
     * Until when the lease is known to be held.
     *
     * @param until the monotonic time at which it ends
     * @param expiry what the table shows, in epoch nanoseconds
     * @param epoch how many clock jumps had been seen when the write was made
     */
    private record Validity(long until, long expiry, int epoch) {}

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Mailbox mailbox;
    private final Tenure tenure;
    private final long token;
    private final long acquired;
    private final Instant acquiredAt;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private volatile @Nullable Validity validity;
    private volatile @Nullable LeaseLossReason lossReason;

    // the rest lives in the mailbox
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>(1);
    private Phase phase = Phase.HELD;
    private EngineTime.@Nullable Timer timer;
    private long renewAt;
    private boolean syncing;
    private int renewing;
    private int failures;
    private boolean atRisk;

    HeldLease(
            LeaseEngine engine, LeaseTerms terms, Mailbox mailbox, Tenure tenure, Tenure.Attempt granted, long token) {
        this.engine = engine;
        this.terms = terms;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.token = token;
        this.acquired = granted.sent();
        this.acquiredAt = Instant.ofEpochMilli(granted.reading().middleMillis());
    }

    /** Begins with the reply that granted it; completes once the lease may be handed out (protocol 4.1). */
    CompletableFuture<Void> start(Tenure.Attempt granted, Reply reply, boolean renewAtOnce) {
        confirm(granted, reply);
        Validity confirmed = validity;
        CompletableFuture<Void> handOut = new CompletableFuture<>();
        if (confirmed != null && isValidAt(reply.at()) && confirmed.until - reply.at() >= terms.ttl() / 2) {
            handOut.complete(null);
        } else {
            waiting.add(handOut);
        }
        if (renewAtOnce || !handOut.isDone()) {
            renewAt = reply.at();
        }
        wake();
        return handOut;
    }

    // ---- what its user sees

    @Override
    public String key() {
        return terms.key();
    }

    @Override
    public String owner() {
        return engine.settings.owner();
    }

    @Override
    public long fencingToken() {
        return token;
    }

    @Override
    public Instant acquiredAt() {
        return acquiredAt;
    }

    @Override
    public boolean isValid() {
        return isValidAt(engine.clock.now());
    }

    private boolean isValidAt(long now) {
        Validity current = validity;
        if (current == null || current.until - now <= 0 || current.epoch != engine.clock.epoch()) {
            return false;
        }
        BoundedClock.Interval interval = engine.clock.at(now);
        return interval != null && interval.earliest() < current.expiry;
    }

    @Override
    public Duration remaining() {
        long now = engine.clock.now();
        Validity current = validity;
        return current == null || !isValidAt(now) ? Duration.ZERO : Duration.ofNanos(current.until - now);
    }

    @Override
    public void ensureValid() {
        if (isValid()) {
            return;
        }
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        mailbox.execute(() -> awaitValid(confirmed));
        engine.await(confirmed, "the renewal of lease " + Text.quote(key()));
        if (confirmed.isCompletedExceptionally()) {
            throw notValid();
        }
    }

    private void awaitValid(CompletableFuture<Void> confirmed) {
        if (isValid()) {
            confirmed.complete(null);
            return;
        }
        waiting.add(confirmed);
        if (phase != Phase.HELD) {
            failWaiting();
        }
        wake();
    }

    @Override
    public CompletionStage<LeaseLossReason> lost() {
        return lost.minimalCompletionStage();
    }

    @Override
    public ConditionCheck conditionCheck() {
        if (!isValid()) {
            throw notValid();
        }
        return engine.store.conditionCheck(key(), token, tenure.id().toString());
    }

    private LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        String what = "Lease " + Text.quote(key()) + " of owner " + Text.quote(owner()) + " (token " + token + ")";
        return reason == null
                ? new LeaseException(what + " is not valid: it was released, or is being renewed", null)
                : new LeaseLostException(what + " was lost: " + reason, reason);
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        mailbox.execute(this::release);
        return engine.onCallbacks(released);
    }

    @Override
    public void close() {
        mailbox.execute(this::release);
        engine.awaitBriefly(released);
    }

    // ---- steps, all in the mailbox

    /** A clock has jumped: until a renewal gets through, nothing is known. */
    void onJump() {
        mailbox.execute(() -> {
            renewAt = engine.time.nanos();
            wake();
        });
    }

    void loseBecauseClosed() {
        mailbox.execute(() -> {
            if (phase == Phase.HELD) {
                lose(LeaseLossReason.CLOSED);
            }
        });
    }

    /** Looks what is due and sets the timer for what is due next. */
    private void wake() {
        if (phase != Phase.HELD) {
            return;
        }
        long now = engine.clock.now();
        if (isOver(now)) {
            lose(LeaseLossReason.EXPIRED);
        } else if (now - acquired >= terms.holdAtMost()) {
            lose(LeaseLossReason.HOLD_LIMIT);
        } else {
            warnIfAtRisk(now);
            if (!syncing && renewing == 0 && renewAt - now <= 0) {
                renew(now);
            }
            setTimer(now);
        }
    }

    private boolean isOver(long now) {
        Validity current = validity;
        if (current == null || current.until - now <= 0) {
            return true;
        }
        BoundedClock.Interval interval = engine.clock.at(now);
        return interval != null && interval.earliest() >= current.expiry;
    }

    private void warnIfAtRisk(long now) {
        Validity current = validity;
        if (current != null && !atRisk && riskAt(current) - now <= 0) {
            atRisk = true;
            Duration left = Duration.ofNanos(current.until - now);
            log.warn(
                    "Lease {} is at risk: no renewal got through for so long that {} is left; owner {}, token {}",
                    Text.quote(key()),
                    left,
                    Text.quote(owner()),
                    token);
            engine.events.publish(new LeaseEvent.AtRisk(key(), owner(), token, left));
        }
    }

    private long riskAt(Validity current) {
        return current.until - (long) (terms.ttl() * engine.settings.atRiskFraction());
    }

    private void setTimer(long now) {
        Validity current = validity;
        if (phase != Phase.HELD || current == null) {
            return;
        }
        long next = Math.min(current.until - now, terms.holdAtMost() - (now - acquired));
        if (!atRisk) {
            next = Math.min(next, riskAt(current) - now);
        }
        if (renewing == 0 && !syncing) {
            next = Math.min(next, renewAt - now);
        }
        cancelTimer();
        timer = engine.time.schedule(Math.max(next, 0), () -> mailbox.execute(this::wake));
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }

    private void renew(long now) {
        BoundedClock.Reading reading = engine.rules.beforeSending(engine.clock);
        if (reading == null) {
            syncing = true;
            engine.requests.syncClock(key(), failure -> mailbox.execute(() -> onSynced(failure != null)));
            return;
        }
        VersionRange own = engine.rules.ownBeforeRenew(tenure);
        Tenure.Attempt attempt =
                tenure.next(reading, engine.rules.expiry(reading.latest(), terms.ttl(), tenure.largestToken()), 0);
        renewing = attempt.number();
        RenewCommand command = new RenewCommand(
                key(), tenure.version(attempt.number()), attempt.expiry(), terms.ttl() / LeaseRules.MILLI, own);
        engine.requests.send(
                reading,
                attemptTimeout(now),
                timeout -> engine.store.renew(command, timeout),
                reply -> mailbox.execute(() -> onRenewed(attempt, reply)),
                late -> mailbox.execute(() -> onRenewed(attempt, late)));
    }

    /** Several attempts fit into what is left of the lease, and none outlives it (protocol 5.7). */
    private long attemptTimeout(long now) {
        Validity current = validity;
        long remaining = current == null ? MIN_ATTEMPT : Math.max(current.until - now, 1);
        return Math.min(remaining, Math.max(MIN_ATTEMPT, Math.min(MAX_ATTEMPT, remaining / 3)));
    }

    private void onSynced(boolean failed) {
        syncing = false;
        if (failed) {
            backOff(engine.clock.now());
        }
        wake();
    }

    private void onRenewed(Tenure.Attempt attempt, Reply reply) {
        boolean awaited = renewing == attempt.number();
        if (awaited) {
            renewing = 0;
        }
        if (phase != Phase.HELD) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Refused refused) {
            onRefused(attempt, refused, reply);
        } else if (reply.outcome() instanceof StoreReply.Failed) {
            if (awaited) {
                backOff(reply.at());
            }
        } else {
            confirm(attempt, reply);
        }
        wake();
    }

    private void onRefused(Tenure.Attempt attempt, StoreReply.Refused refused, Reply reply) {
        String version = refused.item() == null ? null : refused.item().version();
        int shown = engine.rules.numberOf(tenure, version);
        if (shown == 0) {
            lose(isAnothers(version) ? LeaseLossReason.TAKEN : LeaseLossReason.REVOKED);
            return;
        }
        Tenure.Attempt confirmed = engine.rules.confirmed(tenure, shown, attempt.number());
        if (confirmed != null) {
            confirm(confirmed, reply);
        }
        if (shown != attempt.number()) {
            renewAt = reply.at();
        }
    }

    private static boolean isAnothers(@Nullable String version) {
        return version != null && !Tenure.NOBODY.equals(Tenure.tenureOf(version));
    }

    private void backOff(long now) {
        failures++;
        Validity current = validity;
        long remaining = current == null ? 1 : Math.max(current.until - now, 1);
        // not without end towards the end of the lease
        long cap = Math.max(MIN_BACKOFF, Math.min(MAX_BACKOFF, Math.min(terms.heartbeatInterval(), remaining / 4)));
        renewAt = now + Backoff.delayNanos(failures, cap, engine.random);
    }

    /** The table shows, or showed, this attempt's write (protocol 5.5). */
    private void confirm(Tenure.Attempt attempt, Reply reply) {
        if (tenure.attempt(attempt.number()) == null) {
            return; // a later one was confirmed before
        }
        tenure.confirm(attempt);
        failures = 0;
        atRisk = false;
        long until = engine.rules.validUntil(attempt, reply.at(), terms.ttl());
        long jitter = engine.random.nextLong(terms.heartbeatInterval() / JITTER_SHARE + 1);
        renewAt = attempt.sent() + terms.heartbeatInterval() - jitter;
        if (engine.requests.contradicts(attempt.reading(), reply)) {
            long expired = whenExpired(attempt, reply.at());
            until = expired - until < 0 ? expired : until;
            renewAt = reply.at();
        }
        if (attempt.reading().epoch() != engine.clock.epoch()) {
            renewAt = reply.at();
        }
        validity =
                new Validity(until, attempt.expiry() * SECOND, attempt.reading().epoch());
        releaseWaiting();
    }

    /** The clock that made the expiry was wrong: the lease counts until that expiry by the clock as it is now known. */
    private long whenExpired(Tenure.Attempt attempt, long now) {
        BoundedClock.Interval interval = engine.clock.at(now);
        if (interval == null) {
            return now;
        }
        long left = attempt.expiry() * SECOND - interval.latest();
        return now + left - drift(left);
    }

    private void releaseWaiting() {
        if (!waiting.isEmpty() && isValid()) {
            waiting.forEach(waiter -> waiter.complete(null));
            waiting.clear();
        }
    }

    private void failWaiting() {
        waiting.forEach(waiter -> waiter.completeExceptionally(notValid()));
        waiting.clear();
    }

    private void lose(LeaseLossReason reason) {
        phase = Phase.LOST;
        lossReason = reason;
        validity = null;
        cancelTimer();
        Duration heldFor = heldFor();
        log.atWarn()
                .addKeyValue("lease", Text.plain(key()))
                .addKeyValue("owner", Text.plain(owner()))
                .addKeyValue("token", token)
                .log("Lease {} was lost: {}, after {}", Text.quote(key()), reason, heldFor);
        engine.events.publish(new LeaseEvent.Lost(key(), owner(), token, reason, heldFor));
        engine.events.runOnCallbacks(() -> lost.complete(reason));
        engine.onEnded(this);
        failWaiting();
        if (engine.rules.releasesRunningBody()) {
            release();
        }
    }

    private void release() {
        if (phase == Phase.ENDED) {
            return;
        }
        if (phase == Phase.HELD) {
            engine.events.publish(new LeaseEvent.Released(key(), owner(), token, heldFor()));
        }
        phase = Phase.ENDED;
        validity = null;
        cancelTimer();
        engine.release(tenure, Release.of(engine, terms, tenure, acquired, released));
        engine.onEnded(this);
        failWaiting();
    }

    private Duration heldFor() {
        return Duration.ofNanos(engine.clock.now() - acquired);
    }

    @Override
    public String toString() {
        return "Lease[key=" + Text.quote(key()) + ", owner=" + Text.quote(owner()) + ", fencingToken=" + token
                + ", remaining=" + remaining() + "]";
    }

    UUID tenure() {
        return tenure.id();
    }
}
