package io.leasekit.kernel;

import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseStatus;
import io.leasekit.internal.Internal;
import io.leasekit.requests.Requests;
import io.leasekit.store.Edits;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.text.Text;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Sender;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a granted lease.
 *
 * <pre>
 * HELD -> LOST    not renewed in time, another version in the item, hold limit reached, or manager closed
 * HELD -> ENDED   released
 * LOST -> ENDED   released, because a late renewal may have extended the item
 * </pre>
 *
 * <p>A lost lease never becomes valid again, even if a renewal succeeds too late. No renewal starts after the release.
 * A {@code Mailbox} runs the steps of the lease one at a time. Thread-safe.
 */
@Internal
public final class LeaseState {

    private enum Phase {
        HELD,
        LOST,
        ENDED
    }

    private static final long LONG_HELD = 24 * 3_600 * SECOND;
    // The log explains losses that were noticed more than this time after the lease's end.
    private static final long LATE = SECOND;

    public final LeaseSpec spec;
    private final Tenure tenure;
    private final long token;
    private final long acquired;
    private final long acquiredAtMillis;
    private final Mailbox mailbox;
    private final LocalQueue localQueue;
    private final EngineParts parts;
    private final Renewer.Heartbeat heartbeat;
    private final Validity validity;
    private final LeaseRecords.OfLease records;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> stopRequest = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private volatile @Nullable LeaseLossReason lossReason;
    private volatile @Nullable LeaseRunOutcome outcome;
    // The error of the work, which is set before 'outcome', because a release reads 'outcome' first.
    private volatile @Nullable Throwable error;
    // The promised validity, in nanoseconds from the acquire; only steps in the mailbox change the value.
    private volatile long promised;
    private volatile boolean neverUsed;

    // Only steps in the mailbox of this lease use the fields below.
    private Phase phase = Phase.HELD;
    private boolean handedOut;
    private boolean atRisk;
    private boolean longHeld;

    LeaseState(
            LeaseSpec spec,
            Tenure tenure,
            Tenure.Grant grant,
            Mailbox mailbox,
            LocalQueue localQueue,
            EngineParts parts) {
        this.spec = spec;
        this.tenure = tenure;
        this.token = grant.token();
        this.acquired = grant.written().sent();
        this.acquiredAtMillis = grant.written().reading().middleMillis();
        this.mailbox = mailbox;
        this.localQueue = localQueue;
        this.parts = parts;
        this.heartbeat = parts.renewer.of(this, mailbox, tenure, grant.written().reading());
        this.validity = new Validity(parts.rules, parts.clock);
        this.promised = spec.firstPromise();
        this.records = parts.records.of(this, tenure);
    }

    /** The returned future completes when the lease may be passed to the caller (protocol 4.1). */
    CompletableFuture<Void> start(Tenure.Grant grant, Requests.Reply reply) {
        try {
            heartbeat.confirm(grant.written(), reply);
        } finally {
            // This call follows confirm(), so that refused callers see the confirmed expiry.
            localQueue.onGranted(this, grant);
        }
        CompletableFuture<Void> handOut = new CompletableFuture<>();
        Confirmed granted = validity.confirmed();
        long at = reply.at();
        boolean isReady = granted != null && validity.isValidAt(at) && granted.remaining(at) >= spec.fullClaim() / 2;
        if (isReady && !records.delayWork()) {
            handOut.complete(null);
        } else {
            validity.await(at, handOut);
        }
        // A valid lease is delayed only by a write of records, so a timeout ends the delay.
        if (isReady && !handOut.isDone()) {
            parts.time.completeOnTimeout(handOut, Requests.TIMEOUT);
        }
        if (grant.renewAtOnce() || !handOut.isDone()) {
            heartbeat.hurry(at);
        }
        decide();
        return handOut;
    }

    /** If the lease has ended, marks the lease as lost, without a report to the log or to listeners. */
    boolean mayBeHandedOut() {
        loseIfOver();
        return phase == Phase.HELD;
    }

    private void loseIfOver() {
        Confirmed current = validity.confirmed();
        if (current != null && parts.rules.isOver(current, parts.clock.now(), parts.clock)) {
            loseAtEnd(current);
        }
    }

    // ---- methods for any thread

    List<String> keys() {
        return spec.keys();
    }

    public String owner() {
        return parts.settings.owner();
    }

    public long token() {
        return token;
    }

    public UUID tenure() {
        return tenure.id();
    }

    private LeaseException beyondLimit() {
        return new LeaseException(name() + " cannot be extended beyond its 'holdAtMost'", null);
    }

    private String name() {
        return "Lease " + spec.name() + " of owner " + Text.quote(owner()) + " (token " + token + ")";
    }

    private LeaseLossReason reasonOfEnd(Confirmed last) {
        return spec.reasonOfEnd(last.isFinal(), promised);
    }

    public Instant acquiredAt() {
        return Instant.ofEpochMilli(acquiredAtMillis);
    }

    public Duration heldFor() {
        return Duration.ofNanos(parts.clock.now() - acquired);
    }

    public CompletableFuture<LeaseLossReason> lost() {
        return lost;
    }

    Stream<LeaseStatus> statuses() {
        Duration remaining = validity.remaining();
        Duration heldFor = heldFor();
        return keys().stream()
                .map(key -> new LeaseStatus(
                        key,
                        owner(),
                        token,
                        acquiredAt(),
                        !remaining.isZero(),
                        remaining,
                        heldFor,
                        Objects.requireNonNullElse(spec.permits(), 0),
                        spec.slot()));
    }

    LeaseInfo info() {
        Confirmed current = validity.confirmed();
        Instant until = current == null ? null : Instant.ofEpochSecond(current.expiry() / SECOND);
        return new LeaseInfo(keys().get(0), true, owner(), token, acquiredAt(), until, null);
    }

    /** The result shows the lease as released, although the table still shows the lease as held. */
    LeaseInfo kept(Release.Delay delay) {
        return new LeaseInfo(
                keys().get(0),
                true,
                owner(),
                token,
                acquiredAt(),
                Instant.ofEpochMilli(delay.endsAtMillis()),
                Instant.ofEpochMilli(delay.begunAtMillis()));
    }

    public Validity validity() {
        return validity;
    }

    boolean isAtRisk(long now) {
        Confirmed current = validity.confirmed();
        return current != null && current.untilAtRisk(spec.atRisk(), now) <= 0;
    }

    public boolean isGivenBack() {
        return validity.isGivenBack();
    }

    public CompletableFuture<Void> released() {
        return released;
    }

    public Optional<LeaseLossReason> lossReason() {
        if (lossReason == null && !isGivenBack() && validity.isOver()) {
            mailbox.execute(this::loseIfOver); // the timer for the end of the lease has not run yet
        }
        return Optional.ofNullable(lossReason);
    }

    /** The result does not depend on timers, which may be late. */
    public boolean isStopRequested() {
        return stopRequest.isDone() || (!isGivenBack() && validity.isOver()) || nanosUntilStop(parts.clock.now()) <= 0;
    }

    public CompletableFuture<Void> stopRequest() {
        return stopRequest;
    }

    public void requestStop() {
        if (!isGivenBack()) {
            stopRequest.complete(null);
        }
    }

    private long nanosUntilStop(long now) {
        return stopRequest.isDone() || isGivenBack() ? Long.MAX_VALUE : acquired + spec.stopAfter() - now;
    }

    public LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        Confirmed current = validity.confirmed();
        if (reason == null
                && !isGivenBack()
                && current != null
                && parts.rules.isOver(current, parts.clock.now(), parts.clock)) {
            reason = reasonOfEnd(current);
        }
        if (reason != null) {
            return new LeaseLostException(name() + " was lost: " + reason, reason);
        }
        return new LeaseException(
                name() + " is not valid" + (isGivenBack() ? ": it was released" : " until a renewal succeeds"), null);
    }

    public void awaitValid(CompletableFuture<Void> confirmed) {
        mailbox.execute(() -> {
            if (validity.isValid()) {
                confirmed.complete(null);
            } else {
                renewFor(0, confirmed);
            }
        });
    }

    /**
     * Completes the future when the lease is valid for at least the next {@code nanos} nanoseconds. The future fails if
     * the extension would go beyond {@code holdAtMost}.
     */
    public void extend(long nanos, CompletableFuture<Void> extended) {
        mailbox.execute(() -> renewFor(nanos, extended));
    }

    public void change(Runnable change, Consumer<LeaseException> refused) {
        // Checked before the mailbox runs the step, because a release that begins later must not refuse the change.
        boolean inTime = !isGivenBack();
        mailbox.execute(() -> {
            if (phase == Phase.HELD && inTime) {
                change.run();
                if (!isGivenBack()) {
                    renewForRecords();
                    decide();
                }
            } else {
                refused.accept(notValid());
            }
        });
    }

    private void renewForRecords() {
        if (!records.needRenewal(heartbeat.inFlight())) {
            return;
        }
        if (heartbeat.failure() == null) {
            heartbeat.hurry(parts.clock.now());
        } else if (records.isAwaited()) {
            // The retry writes the change of the records, for which a caller waits.
            heartbeat.retrySoon(parts.clock.now());
        }
    }

    boolean isAwaited() {
        return validity.isAwaited() || records.isAwaited();
    }

    Edits editsFor(Tenure.Attempt attempt) {
        return records.ofRenewal(attempt);
    }

    private void renewFor(long nanos, CompletableFuture<Void> renewed) {
        if (phase != Phase.HELD || isGivenBack()) {
            renewed.completeExceptionally(notValid());
        } else {
            validity.await(parts.clock.now() + nanos, renewed);
            heartbeat.hurry(parts.clock.now());
            decide();
        }
    }

    void renewNow() {
        mailbox.execute(() -> {
            heartbeat.demand(parts.clock.now());
            decide();
        });
    }

    public void loseBecauseClosed() {
        mailbox.execute(() -> {
            if (phase == Phase.HELD) {
                lose(LeaseLossReason.CLOSED, "");
            }
        });
    }

    public void recordRun(LeaseRunOutcome value, @Nullable Throwable failure) {
        Objects.requireNonNull(
                value, () -> "Outcome of the run under lease " + spec.name() + " is null, expected a LeaseRunOutcome");
        if (!isGivenBack()) {
            error = failure;
            outcome = value;
        }
    }

    /** Makes the release ignore {@code holdAtLeast} and {@code cooldown}, because the caller does not use the lease. */
    public void noteUnused() {
        neverUsed = true;
    }

    public void giveBack() {
        giveBack(null, 0);
    }

    /**
     * {@code sending}: sends the release on the calling thread; {@code null}: a sender thread sends the release.
     * {@code keep}: the nanoseconds after the release during which no other owner can acquire the key.
     */
    public void giveBack(Sender.@Nullable Sending sending, long keep) {
        if (validity.giveBack()) {
            localQueue.onGivenBack(released);
        }
        mailbox.execute(() -> release(sending, keep));
    }

    /** Handles everything that is due: the end of the lease, warnings, a stop request and a renewal. */
    void decide() {
        Confirmed current = validity.confirmed();
        if (current == null) {
            return;
        }
        long now = parts.clock.now();
        if (parts.rules.isOver(current, now, parts.clock)) {
            loseAtEnd(current);
        } else {
            try {
                warn(now, current, heartbeat.failure());
                if (nanosUntilStop(now) <= 0) {
                    requestStop();
                }
                if (heartbeat.nanosUntilDue(now) <= 0) {
                    heartbeat.queue(current);
                }
            } finally {
                setTimer(now);
            }
        }
    }

    private void setTimer(long now) {
        Confirmed current = validity.confirmed();
        if (current != null) {
            long end = current.remaining(now);
            long next = atRisk ? end : Math.min(end, current.untilAtRisk(spec.atRisk(), now));
            heartbeat.sleep(now, Math.min(next, nanosUntilStop(now)));
        }
    }

    /** Returns {@code null} if the lease has ended; an ended lease never becomes valid again (protocol 5.6). */
    @Nullable
    Confirmed confirmed() {
        return validity.confirmed();
    }

    void onConfirmed(int attempt, Confirmed confirmed) {
        validity.confirm(confirmed);
        // After a late reply, the lease may still be at risk.
        atRisk = atRisk && confirmed.untilAtRisk(spec.atRisk(), parts.clock.now()) <= 0;
        records.onConfirmed(attempt);
        renewForRecords();
        if (validity.isValid() && validity.needed(parts.clock.now()) > 0) {
            if (reasonOfEnd(confirmed) == LeaseLossReason.HOLD_LIMIT) {
                validity.failWaiting(this::beyondLimit);
            } else {
                heartbeat.hurry(parts.clock.now());
            }
        }
    }

    /**
     * Returns the validity that callers of this lease have requested, in nanoseconds from the acquire. The result never
     * decreases. {@code heldFor}: the time from the acquire to the monotonic time {@code at}.
     */
    long promise(long heldFor, long at) {
        promised = Math.max(promised, heldFor + validity.needed(at));
        return promised;
    }

    private void loseAtEnd(Confirmed current) {
        long late = -current.remaining(parts.clock.now());
        String how = late < LATE
                ? ""
                : ": noticed " + Text.duration(Duration.ofNanos(late))
                        + " after its end, because this process was suspended or had no CPU time, or a reply has"
                        + " shown a wrong time";
        lose(reasonOfEnd(current), how);
    }

    void lose(LeaseLossReason reason, String how) {
        phase = Phase.LOST;
        lossReason = reason;
        validity.end();
        heartbeat.stop();
        requestStop();
        reportLoss(reason, how);
        parts.live.ended(this);
        localQueue.onLost(this);
        validity.failWaiting(this::notValid);
        records.endWaiting(false, this::notValid);
    }

    private void release(Sender.@Nullable Sending sending, long keep) {
        if (phase == Phase.ENDED) {
            return;
        }
        long now = parts.clock.now();
        Confirmed current = validity.confirmed();
        if (current != null && parts.rules.isLostAtRelease(current, now, parts.clock)) {
            loseAtEnd(current); // the timer for the end of the lease has not run yet
        }
        boolean wasHeld = phase == Phase.HELD;
        LeaseRunOutcome ended = outcome;
        Duration heldFor = Duration.ofNanos(now - acquired);
        reportRelease(wasHeld, ended, heldFor);
        LeaseRecords.Ending written = records.ofRelease(ended, error, heldFor, wasHeld);
        phase = Phase.ENDED;
        Confirmed last = wasHeld && !parts.live.isClosed() ? validity.confirmed() : null;
        validity.end();
        heartbeat.stop();
        var release = parts.releases.begin(spec, tenure, holdUntil(keep, ended), written, last, released, sending);
        if (!wasHeld || !handedOut) {
            var unused = release.quietly();
        }
        boolean mayHandOver = wasHeld && keep == 0 && !spec.holds() && spec.once() == null && written.isNone();
        localQueue.release(this, release, mayHandOver);
        if (release.delay() != null) {
            released.complete(null); // callers do not wait for the end of a short hold
        }
        parts.live.ended(this);
        validity.failWaiting(this::notValid);
        if (records.isAwaited()) {
            release.done()
                    .thenRun(() -> mailbox.execute(() -> records.endWaiting(release.isApplied(), this::notValid)));
        }
    }

    /**
     * Returns the monotonic time until which the release keeps other owners from the key. After a stopped run,
     * {@code holdAtLeast} and {@code cooldown} do not apply, so that another owner can continue the run.
     */
    private long holdUntil(long keep, @Nullable LeaseRunOutcome ended) {
        long now = parts.time.nanos();
        if (!handedOut || neverUsed) {
            return now;
        }
        return ended == LeaseRunOutcome.STOPPED
                ? now + keep
                : now + Math.max(acquired + spec.holdAtLeast() - now, Math.max(spec.cooldown(), keep));
    }

    // ---- reports: a lease is reported only after its caller has received it

    Lease forHolder() {
        return records.lease();
    }

    void handedOut() {
        handedOut = true;
        parts.reports.acquired(spec, token);
        Confirmed current = validity.confirmed();
        if (atRisk && current != null) {
            reportRisk(current.remaining(parts.clock.now()), heartbeat.failure());
        }
    }

    private void warn(long now, Confirmed current, @Nullable Throwable failure) {
        if (!atRisk && current.untilAtRisk(spec.atRisk(), now) <= 0) {
            atRisk = true;
            reportRisk(current.remaining(now), failure);
        }
        if (!longHeld && now - acquired >= LONG_HELD) {
            longHeld = true;
            parts.reports.longHeld(spec, token, heldFor());
        }
    }

    private void reportRisk(long left, @Nullable Throwable failure) {
        if (handedOut) {
            parts.reports.atRisk(spec, token, Duration.ofNanos(left), failure);
        }
    }

    private void reportLoss(LeaseLossReason reason, String how) {
        if (handedOut) {
            parts.reports.lost(spec, token, reason, how, heldFor(), lost);
        }
    }

    private void reportRelease(boolean wasHeld, @Nullable LeaseRunOutcome run, Duration heldFor) {
        if (wasHeld && handedOut) {
            parts.reports.released(spec, token, heldFor);
        }
        if (run != null) {
            parts.reports.ran(spec, token, run, heldFor);
        }
    }
}
