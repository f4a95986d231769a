package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStatus;
import io.leasekit.engine.Renewer.Validity;
import io.leasekit.internal.Text;
import io.leasekit.store.ItemRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a granted lease.
 *
 * <pre>
 * HELD -> LOST    not renewed in time, refused by another version, hold limit, manager closed
 * HELD -> ENDED   released
 * LOST -> ENDED   released: a late renewal may have prolonged the item
 * </pre>
 *
 * Nothing leads back: a late success revives no lost lease, and no renewal is sent after the release. All steps run in the
 * lease's mailbox; {@link #isValid()} and its like read what the last step published. Thread-safe.
 */
final class LeaseState extends WakeUps.Sleeper implements Renewer.Holder {

    private static final long LONG_HELD = 24 * 3_600 * SECOND;

    private enum Phase {
        HELD,
        LOST,
        ENDED
    }

    private final LeaseTerms terms;
    private final String owner;
    private final Mailbox mailbox;
    private final Tenure tenure;
    private final Turns turns;
    private final BoundedClock clock;
    private final WakeUps wakeUps;
    private final Releases releases;
    private final Register register;
    private final Reports reports;
    private final Renewer.Heartbeat heartbeat;
    private final long token;
    private final long acquired;
    private final long acquiredAtMillis;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private volatile @Nullable Validity validity;
    private volatile @Nullable LeaseLossReason lossReason;
    private volatile boolean givenBack; // before the step that releases, which may have to wait for another one
    private volatile @Nullable LeaseRunOutcome outcome;

    // the rest lives in the mailbox
    private List<CompletableFuture<Void>> waiting = List.of(); // a list of its own only while somebody waits
    private Phase phase = Phase.HELD;
    private boolean atRisk;
    private boolean longHeld;

    LeaseState(
            LeaseTerms terms,
            String owner,
            Mailbox mailbox,
            Tenure tenure,
            Turns turns,
            Acquisition.Grant grant,
            BoundedClock clock,
            WakeUps wakeUps,
            Renewer renewer,
            Releases releases,
            Register register,
            Reports reports) {
        super(wakeUps);
        this.terms = terms;
        this.owner = owner;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.turns = turns;
        this.clock = clock;
        this.wakeUps = wakeUps;
        this.releases = releases;
        this.register = register;
        this.reports = reports;
        this.heartbeat = renewer.of(this, terms, mailbox, tenure);
        this.token = grant.token();
        this.acquired = grant.written().sent();
        this.acquiredAtMillis = grant.written().reading().middleMillis();
    }

    /** Begins with the reply that granted it; the future completes once the lease may be handed out (protocol 4.1). */
    CompletableFuture<Void> start(Acquisition.Grant grant, Requests.Reply reply) {
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
        decide(null);
        return handOut;
    }

    // ---- what others may ask

    List<String> keys() {
        return terms.keys();
    }

    String owner() {
        return owner;
    }

    long token() {
        return token;
    }

    UUID tenure() {
        return tenure.id();
    }

    Instant acquiredAt() {
        return Instant.ofEpochMilli(acquiredAtMillis);
    }

    boolean isValid() {
        return isValidAt(clock.now());
    }

    private boolean isValidAt(long now) {
        Validity current = validity;
        return current != null && !givenBack && current.isConfirmed(clock) && !current.isOver(now, clock);
    }

    private long remainingAt(long now) {
        Validity current = validity;
        return current == null ? 0 : current.remaining(now);
    }

    Duration remaining() {
        long now = clock.now();
        return isValidAt(now) ? Duration.ofNanos(Math.max(0, remainingAt(now))) : Duration.ZERO;
    }

    /** Returns whether the lease is at risk: no renewal has succeeded for so long. */
    boolean isOverdue(long now) {
        Validity current = validity;
        return current != null && untilAtRisk(now, current) <= 0;
    }

    boolean isGivenBack() {
        return givenBack;
    }

    CompletableFuture<LeaseLossReason> lost() {
        return lost;
    }

    CompletableFuture<Void> released() {
        return released;
    }

    private Duration heldFor() {
        return Duration.ofNanos(clock.now() - acquired);
    }

    /** Returns what the table shows of it, as far as that is known here. */
    LeaseInfo info() {
        Validity current = validity;
        Instant until = current == null ? null : Instant.ofEpochSecond(current.expiry() / SECOND);
        return new LeaseInfo(terms.key(), true, owner, token, acquiredAt(), until, null);
    }

    /** Returns one status for each key. */
    Stream<LeaseStatus> statuses() {
        Duration remaining = remaining();
        Duration heldFor = heldFor();
        return terms.keys().stream()
                .map(key -> new LeaseStatus(key, owner, token, acquiredAt(), !remaining.isZero(), remaining, heldFor));
    }

    /** Returns the error for a use of this lease that needs it to be valid. */
    LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        String what = "Lease " + terms.name() + " of owner " + Text.quote(owner) + " (token " + token + ")";
        return reason == null
                ? new LeaseException(what + " is not valid: it was released, or is being renewed", null)
                : new LeaseLostException(what + " was lost: " + reason, reason);
    }

    // ---- what others may ask for

    /** Completes the future once the lease is valid, after a renewal if need be; exceptionally if it has ended. */
    void awaitValid(CompletableFuture<Void> confirmed) {
        mailbox.execute(() -> {
            if (isValid()) {
                confirmed.complete(null);
                return;
            }
            await(confirmed);
            if (phase != Phase.HELD) {
                failWaiting();
            }
            decide(null);
        });
    }

    /** Renews as soon as possible: a clock has jumped, or the lease was released by force. */
    void renewNow(RenewalBatches.@Nullable Batch batch) {
        mailbox.execute(() -> {
            heartbeat.hurry(clock.now());
            decide(batch);
        });
    }

    @Override
    void onDue(RenewalBatches.Batch batch) {
        mailbox.execute(() -> decide(batch));
    }

    @Override
    void onEarly(RenewalBatches.Batch batch) {
        mailbox.execute(() -> {
            heartbeat.renewEarly(clock.now());
            decide(batch);
        });
    }

    void loseBecauseClosed() {
        mailbox.execute(() -> {
            if (phase == Phase.HELD) {
                lose(LeaseLossReason.CLOSED);
            }
        });
    }

    /** Notes how the work under the lease ended; the release records it. */
    void recordRun(LeaseRunOutcome value) {
        outcome = value;
    }

    /** Releases. That step may have to wait for another one: callers that ask for the lease meanwhile wait for it. */
    void giveBack() {
        if (!givenBack) {
            givenBack = true;
            turns.onGivenBack(released);
        }
        mailbox.execute(this::release);
    }

    // ---- steps, all in the mailbox

    @Override
    public void decide(RenewalBatches.@Nullable Batch batch) {
        Validity current = validity;
        if (current == null) {
            return;
        }
        long now = clock.now();
        if (current.isOver(now, clock)) {
            lose(LeaseLossReason.EXPIRED);
        } else if (now - acquired >= terms.holdAtMost()) {
            lose(LeaseLossReason.HOLD_LIMIT);
        } else {
            warn(now, current);
            if (heartbeat.nanosUntilDue(now) <= 0) {
                heartbeat.renew(now, current, batch);
            }
            setTimer(now);
        }
    }

    private void warn(long now, Validity current) {
        if (!atRisk && untilAtRisk(now, current) <= 0) {
            atRisk = true;
            reports.atRisk(terms, token, Duration.ofNanos(current.remaining(now)));
        }
        if (!longHeld && now - acquired >= LONG_HELD) {
            longHeld = true;
            reports.longHeld(terms, token, heldFor());
        }
    }

    private long untilAtRisk(long now, Validity current) {
        return current.remaining(now) - terms.atRisk();
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
        wakeUps.wakeAt(this, now + early, now + next);
    }

    @Override
    public @Nullable Validity validity() {
        return validity;
    }

    @Override
    public void onConfirmed(Validity confirmed) {
        validity = confirmed;
        atRisk = false;
        if (!waiting.isEmpty() && isValid()) {
            takeWaiting().forEach(waiter -> waiter.complete(null));
        }
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

    private void failWaiting() {
        takeWaiting().forEach(waiter -> waiter.completeExceptionally(notValid()));
    }

    @Override
    public void lose(LeaseLossReason reason) {
        phase = Phase.LOST;
        lossReason = reason;
        validity = null;
        wakeUps.forget(this);
        reports.lost(terms, token, reason, heldFor(), lost);
        register.ended(this);
        turns.onLost(this);
        failWaiting();
    }

    private void release() {
        if (phase == Phase.ENDED) {
            return;
        }
        boolean wasHeld = phase == Phase.HELD;
        if (wasHeld) {
            reports.released(terms, token, heldFor());
        }
        boolean hasRun = terms.once() != null || outcome != null; // recorded by a release of its own
        Releases.Release release = releases.of(terms, tenure, acquired, endedRun(), released);
        phase = Phase.ENDED;
        validity = null;
        wakeUps.forget(this);
        turns.onReleased(this, release, wasHeld && !terms.holds() && !hasRun);
        register.ended(this);
        failWaiting();
    }

    /**
     * Reports the run, and returns what the release is to record. After a loss only a success is recorded: while nobody has taken
     * the lease since, the work is done, whereas an error may come from the loss.
     */
    private @Nullable ItemRun endedRun() {
        LeaseRunOutcome ended = outcome;
        if (ended == null) {
            return null;
        }
        Duration duration = heldFor();
        reports.ran(terms, token, ended, duration);
        boolean counts = ended == LeaseRunOutcome.SUCCEEDED || (ended == LeaseRunOutcome.FAILED && phase == Phase.HELD);
        return counts ? new ItemRun(terms.once(), owner, acquiredAt(), ended.name(), duration) : null;
    }
}
