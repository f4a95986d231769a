package io.leasekit;

import static io.leasekit.LeaseRules.SECOND;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
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
    private static final long LONG_HELD = 24 * 3_600 * SECOND;

    private enum Phase {
        HELD,
        LOST,
        ENDED
    }

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Mailbox mailbox;
    private final Tenure tenure;
    private final Turns queue;
    private final Heartbeat heartbeat;
    private final Heartbeats.Place place;
    private final long token;
    private final long acquired;
    private final Instant acquiredAt;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private volatile @Nullable Validity validity;
    private volatile @Nullable LeaseLossReason lossReason;
    private volatile boolean givenBack; // before the step that releases, which may have to wait for another one
    private volatile @Nullable LeaseRunOutcome outcome;

    // the rest lives in the mailbox
    private List<CompletableFuture<Void>> waiting = List.of(); // one of its own while somebody waits
    private Phase phase = Phase.HELD;
    private boolean atRisk;
    private boolean longHeld;

    HeldLease(LeaseEngine engine, LeaseTerms terms, Mailbox mailbox, Tenure tenure, Turns queue, Grant grant) {
        this.engine = engine;
        this.terms = terms;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.queue = queue;
        this.token = grant.token();
        this.heartbeat = new Heartbeat(engine, terms, mailbox, tenure, this);
        this.place = engine.heartbeats.placeOf(this);
        this.acquired = grant.written().sent();
        this.acquiredAt = Instant.ofEpochMilli(grant.written().reading().middleMillis());
    }

    /** Begins with the reply that granted it; completes once the lease may be handed out (protocol 4.1). */
    CompletableFuture<Void> start(Grant grant, Reply reply) {
        heartbeat.confirm(grant.written(), reply);
        CompletableFuture<Void> handOut = new CompletableFuture<>();
        if (isValidAt(reply.at()) && remainingAt(reply.at()) >= terms.ttl() / 2) {
            handOut.complete(null);
        } else {
            await(handOut);
        }
        if (grant.renewAtOnce() || !handOut.isDone()) {
            heartbeat.hurry(reply.at());
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
    public List<String> keys() {
        return terms.leaseKeys();
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
        return current != null && !givenBack && current.isConfirmed(engine.clock) && !current.isOver(now, engine.clock);
    }

    private long remainingAt(long now) {
        Validity current = validity;
        return current == null ? 0 : current.remaining(now);
    }

    @Override
    public Duration remaining() {
        long now = engine.clock.now();
        return isValidAt(now) ? Duration.ofNanos(Math.max(0, remainingAt(now))) : Duration.ZERO;
    }

    @Override
    public void ensureValid() {
        if (isValid()) {
            return;
        }
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        mailbox.execute(() -> awaitValid(confirmed));
        engine.await(confirmed, "the renewal of lease " + terms.name());
        if (confirmed.isCompletedExceptionally()) {
            throw notValid();
        }
    }

    private void awaitValid(CompletableFuture<Void> confirmed) {
        if (isValid()) {
            confirmed.complete(null);
            return;
        }
        await(confirmed);
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
        if (keys().size() > 1) {
            throw new IllegalStateException("Lease " + terms.name() + " has " + keys().size()
                    + " keys, and one check does not cover them, expected a call of conditionChecks()");
        }
        return conditionChecks().get(0);
    }

    @Override
    public List<ConditionCheck> conditionChecks() {
        if (!isValid()) {
            throw notValid();
        }
        return keys().stream()
                .map(key -> engine.store.conditionCheck(key, token, tenure.id().toString()))
                .toList();
    }

    private LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        String what = "Lease " + terms.name() + " of owner " + Text.quote(owner()) + " (token " + token + ")";
        return reason == null
                ? new LeaseException(what + " is not valid: it was released, or is being renewed", null)
                : new LeaseLostException(what + " was lost: " + reason, reason);
    }

    @Override
    public Optional<String> run() {
        return Optional.ofNullable(terms.once());
    }

    @Override
    public void ran(LeaseRunOutcome value) {
        outcome = value;
    }

    @Override
    public CompletionStage<Void> releaseAsync() {
        giveBack();
        return engine.onCallbacks(released);
    }

    @Override
    public void close() {
        giveBack();
        engine.awaitBriefly(released);
    }

    /** The step that releases may have to wait for another one: whoever asks for the lease meanwhile waits for it. */
    private void giveBack() {
        if (!givenBack) {
            givenBack = true;
            queue.onGivenBack(released);
        }
        mailbox.execute(this::release);
    }

    boolean isGivenBack() {
        return givenBack;
    }

    CompletableFuture<Void> released() {
        return released;
    }

    // ---- steps, all in the mailbox

    /** A clock has jumped, or somebody released it by force: until a renewal gets through, nothing is known. */
    void renewNow() {
        mailbox.execute(() -> {
            heartbeat.hurry(engine.time.nanos());
            wake();
        });
    }

    /** Others are renewed just now. */
    void renewEarly() {
        mailbox.execute(() -> {
            heartbeat.renewEarly(engine.clock.now());
            wake();
        });
    }

    /** It is time to look. */
    void look() {
        mailbox.execute(this::wake);
    }

    void loseBecauseClosed() {
        mailbox.execute(() -> {
            if (phase == Phase.HELD) {
                lose(LeaseLossReason.CLOSED);
            }
        });
    }

    /** Looks what is due and sets the timer for what is due next. */
    void wake() {
        Validity current = validity;
        if (current == null) {
            return;
        }
        long now = engine.clock.now();
        if (current.isOver(now, engine.clock)) {
            lose(LeaseLossReason.EXPIRED);
        } else if (now - acquired >= terms.holdAtMost()) {
            lose(LeaseLossReason.HOLD_LIMIT);
        } else {
            warn(now, current);
            if (heartbeat.nanosUntilDue(now) <= 0) {
                heartbeat.renew(now, current);
            }
            setTimer(now);
        }
    }

    private void warn(long now, Validity current) {
        if (!atRisk && untilAtRisk(now, current) <= 0) {
            atRisk = true;
            Duration left = Duration.ofNanos(current.remaining(now));
            withKeys(log.atWarn())
                    .log("Lease {} is at risk: no renewal got through for so long that {} is left", terms.name(), left);
            publish(key -> new LeaseEvent.AtRisk(key, owner(), token, left));
        }
        if (!longHeld && now - acquired >= LONG_HELD) {
            longHeld = true;
            withKeys(log.atWarn())
                    .log("Lease {} has been held for {}; 'holdAtMost' would end it", terms.name(), heldFor());
        }
    }

    /** One event for each key. */
    private void publish(Function<String, LeaseEvent> event) {
        keys().forEach(key -> engine.events.publish(event.apply(key)));
    }

    private LoggingEventBuilder withKeys(LoggingEventBuilder line) {
        return line.addKeyValue("lease", Text.plain(String.join(", ", keys())))
                .addKeyValue("owner", Text.plain(owner()))
                .addKeyValue("token", token);
    }

    private long untilAtRisk(long now, Validity current) {
        return current.remaining(now) - (long) (terms.ttl() * engine.settings.atRiskFraction());
    }

    /** Returns whether no renewal has got through for so long that the lease is at risk. */
    boolean isOverdue(long now) {
        Validity current = validity;
        return current != null && untilAtRisk(now, current) <= 0;
    }

    private void setTimer(long now) {
        Validity current = validity;
        if (current == null) {
            return;
        }
        long next = Math.min(current.remaining(now), terms.holdAtMost() - (now - acquired));
        if (!atRisk) {
            next = Math.min(next, untilAtRisk(now, current));
        }
        long untilRenewal = heartbeat.nanosUntilDue(now);
        next = Math.max(0, Math.min(next, untilRenewal));
        long early = next == untilRenewal ? heartbeat.nanosUntilEarly(now) : next;
        engine.heartbeats.wakeAt(place, now + early, now + next);
    }

    @Nullable
    Validity validity() {
        return validity;
    }

    void onConfirmed(Validity confirmed) {
        validity = confirmed;
        atRisk = false;
        releaseWaiting();
    }

    private void await(CompletableFuture<Void> waiter) {
        if (waiting.isEmpty()) {
            waiting = new ArrayList<>(1);
        }
        waiting.add(waiter);
    }

    private List<CompletableFuture<Void>> takeWaiting() {
        List<CompletableFuture<Void>> taken = waiting;
        waiting = List.of();
        return taken;
    }

    private void releaseWaiting() {
        if (!waiting.isEmpty() && isValid()) {
            takeWaiting().forEach(waiter -> waiter.complete(null));
        }
    }

    private void failWaiting() {
        takeWaiting().forEach(waiter -> waiter.completeExceptionally(notValid()));
    }

    void lose(LeaseLossReason reason) {
        phase = Phase.LOST;
        lossReason = reason;
        validity = null;
        engine.heartbeats.forget(place);
        Duration heldFor = heldFor();
        withKeys(log.atWarn())
                .addKeyValue("reason", reason)
                .addKeyValue("heldFor", heldFor)
                .log("Lease {} was lost: {}, after {}", terms.name(), reason, heldFor);
        publish(key -> new LeaseEvent.Lost(key, owner(), token, reason, heldFor));
        engine.measurements.ended(terms, token, heldFor, reason);
        engine.events.runOnCallbacks(() -> lost.complete(reason));
        engine.onEnded(this);
        queue.onLost(this);
        failWaiting();
        if (engine.rules.releasesRunningBody()) {
            release();
        }
    }

    private void release() {
        if (phase == Phase.ENDED) {
            return;
        }
        boolean wasHeld = phase == Phase.HELD;
        if (wasHeld) {
            log.debug("Lease {} is released, token {}", terms.name(), token);
            Duration heldFor = heldFor();
            publish(key -> new LeaseEvent.Released(key, owner(), token, heldFor));
            engine.measurements.ended(terms, token, heldFor, null);
        }
        boolean hasRun = terms.once() != null || outcome != null; // recorded by a release of its own
        LeaseRun run = endedRun();
        phase = Phase.ENDED;
        validity = null;
        engine.heartbeats.forget(place);
        HandOver over = new HandOver(terms, tenure, engine.rules.ownBeforeRelease(tenure), acquired, run, released);
        queue.onReleased(this, over, wasHeld && !terms.holds() && !hasRun);
        engine.onEnded(this);
        failWaiting();
    }

    /** One status for each key. */
    Stream<LeaseStatus> statuses() {
        Duration remaining = remaining();
        Duration heldFor = heldFor();
        return keys().stream()
                .map(key -> new LeaseStatus(key, owner(), token, acquiredAt, !remaining.isZero(), remaining, heldFor));
    }

    /**
     * Tells of the run, and returns what the release is to record. After a loss that is a success only: while nobody has taken
     * the lease since, the work is done; an error may come from the loss.
     */
    private @Nullable LeaseRun endedRun() {
        LeaseRunOutcome ended = outcome;
        if (ended == null) {
            return null;
        }
        Duration duration = heldFor();
        publish(key -> new LeaseEvent.Ran(key, owner(), token, terms.once(), ended, duration));
        engine.measurements.ran(terms, ended, duration);
        boolean counts = ended == LeaseRunOutcome.SUCCEEDED || (ended == LeaseRunOutcome.FAILED && phase == Phase.HELD);
        return counts ? new LeaseRun(terms.once(), owner(), acquiredAt, ended, duration) : null;
    }

    private Duration heldFor() {
        return Duration.ofNanos(engine.clock.now() - acquired);
    }

    /** What the table shows of it, as far as is known here. */
    LeaseInfo info() {
        Validity current = validity;
        Instant until = current == null ? null : Instant.ofEpochSecond(current.expiry() / SECOND);
        return new LeaseInfo(key(), true, owner(), token, acquiredAt, until, null);
    }

    @Override
    public String toString() {
        return "Lease[" + (keys().size() > 1 ? "keys=" : "key=") + terms.name() + ", owner=" + Text.quote(owner())
                + ", fencingToken=" + token + ", remaining=" + remaining() + "]";
    }

    UUID tenure() {
        return tenure.id();
    }
}
