package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Requests;
import io.leasekit.store.ItemRun;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity;
import io.leasekit.tenure.Validity.Confirmed;
import io.leasekit.threads.Mailbox;
import io.leasekit.threads.Sender;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The state of a granted lease.
 *
 * <pre>
 * HELD -> LOST    not renewed in time, refused by another version, hold limit, manager closed
 * HELD -> ENDED   released
 * LOST -> ENDED   released, because a late renewal may have extended the item
 * </pre>
 *
 * No transition leads back: a late success revives no lost lease, and no renewal is sent after the release. All steps
 * run in the lease's mailbox. Thread-safe.
 */
final class LeaseState extends ReportedLease implements Renewer.Holder {

    private enum Phase {
        HELD,
        LOST,
        ENDED
    }

    private final Mailbox mailbox;
    private final Turns turns;
    private final Releases releases;
    private final Register register;
    private final Renewer.Heartbeat heartbeat;
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private final Validity validity;
    private volatile @Nullable LeaseLossReason lossReason;
    private volatile @Nullable LeaseRunOutcome outcome;

    // the rest lives in the mailbox
    private Phase phase = Phase.HELD;

    LeaseState(
            LeaseTerms terms,
            String owner,
            Mailbox mailbox,
            Tenure tenure,
            Turns turns,
            Tenure.Grant grant,
            BoundedClock clock,
            Renewer renewer,
            Releases releases,
            Register register,
            Reports reports) {
        super(terms, owner, tenure, grant, clock, reports);
        this.mailbox = mailbox;
        this.turns = turns;
        this.releases = releases;
        this.register = register;
        this.validity = new Validity(clock);
        this.heartbeat =
                renewer.of(this, terms, mailbox, tenure, grant.written().reading());
    }

    /** Begins with the granting reply. The future completes once the lease may be handed out (protocol 4.1). */
    CompletableFuture<Void> start(Tenure.Grant grant, Requests.Reply reply) {
        heartbeat.confirm(grant.written(), reply);
        CompletableFuture<Void> handOut = new CompletableFuture<>();
        Confirmed granted = validity.confirmed();
        long at = reply.at();
        if (granted != null && validity.isValidAt(at) && granted.remaining(at) >= terms.fullTerm() / 2) {
            handOut.complete(null);
        } else {
            validity.await(at, handOut);
        }
        if (grant.renewAtOnce() || !handOut.isDone()) {
            heartbeat.hurry(at);
        }
        decide();
        return handOut;
    }

    /** Returns whether the lease may be handed out: it has not ended. One that is over is lost now, unreported. */
    boolean mayBeHandedOut() {
        loseIfOver();
        return phase == Phase.HELD;
    }

    private void loseIfOver() {
        Confirmed current = validity.confirmed();
        if (current != null && current.isOver(clock.now(), clock)) {
            lose(reasonOfEnd(current));
        }
    }

    Validity validity() {
        return validity;
    }

    /** Returns whether the lease is at risk. */
    boolean isOverdue(long now) {
        Confirmed current = validity.confirmed();
        return current != null && current.untilAtRisk(terms.atRisk(), now) <= 0;
    }

    boolean isGivenBack() {
        return validity.isGivenBack();
    }

    CompletableFuture<Void> released() {
        return released;
    }

    /** Returns the reason of the loss; empty if the lease was not lost. One that is over is lost now. */
    Optional<LeaseLossReason> lossReason() {
        if (lossReason == null && !isGivenBack() && validity.isOver()) {
            mailbox.execute(this::loseIfOver); // its timer is late
        }
        return Optional.ofNullable(lossReason);
    }

    /** Returns the error for a use that needs a valid lease. */
    LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        Confirmed current = validity.confirmed();
        if (reason == null && !isGivenBack() && current != null && current.isOver(clock.now(), clock)) {
            reason = reasonOfEnd(current); // its timer is late
        }
        return notValid(reason, isGivenBack());
    }

    /** Completes the future once the lease is valid, after a renewal if necessary; exceptionally if it has ended. */
    void awaitValid(CompletableFuture<Void> confirmed) {
        mailbox.execute(() -> {
            if (validity.isValid()) {
                confirmed.complete(null);
            } else {
                renewFor(0, confirmed);
            }
        });
    }

    /** Renews. Completes the future once the lease is valid for this long; exceptionally if it has ended. */
    void extend(long nanos, CompletableFuture<Void> extended) {
        mailbox.execute(() -> renewFor(nanos, extended));
    }

    private void renewFor(long nanos, CompletableFuture<Void> renewed) {
        if (phase != Phase.HELD || isGivenBack()) {
            renewed.completeExceptionally(notValid());
        } else {
            validity.await(clock.now() + nanos, renewed);
            heartbeat.hurry(clock.now());
            decide();
        }
    }

    /** Renews as soon as possible, because a clock has jumped or the lease was released by force. */
    void renewNow() {
        mailbox.execute(() -> {
            heartbeat.hurry(clock.now());
            decide();
        });
    }

    void loseBecauseClosed() {
        mailbox.execute(() -> {
            if (phase == Phase.HELD) {
                lose(LeaseLossReason.CLOSED);
            }
        });
    }

    void recordRun(LeaseRunOutcome value) {
        outcome = value;
    }

    /** Releases on a sender thread, without keeping others from the key for longer than the terms say. */
    void giveBack() {
        giveBack(null, 0);
    }

    /**
     * Releases. This step may wait for another one; callers that ask for the lease meanwhile wait for the release.
     *
     * @param sending sends on the calling thread; {@code null}: a sender thread does
     * @param keep how long others are kept from the key at least after the release, in nanoseconds
     */
    void giveBack(Sender.@Nullable Sending sending, long keep) {
        if (validity.giveBack()) {
            turns.onGivenBack(released);
        }
        mailbox.execute(() -> release(sending, keep));
    }

    @Override
    public void decide() {
        Confirmed current = validity.confirmed();
        if (current == null) {
            return;
        }
        long now = clock.now();
        if (current.isOver(now, clock)) {
            lose(reasonOfEnd(current));
        } else {
            try {
                warn(now, current, heartbeat.failure());
                if (heartbeat.nanosUntilDue(now) <= 0) {
                    heartbeat.renew(current);
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
            heartbeat.sleep(now, isReportedAtRisk() ? end : Math.min(end, current.untilAtRisk(terms.atRisk(), now)));
        }
    }

    @Override
    public @Nullable Confirmed confirmed() {
        return validity.confirmed();
    }

    @Override
    public void onConfirmed(Confirmed confirmed) {
        validity.confirm(confirmed);
        renewed();
        if (validity.isValid() && validity.needed(clock.now()) > 0) {
            if (reasonOfEnd(confirmed) == LeaseLossReason.HOLD_LIMIT) {
                validity.failWaiting(this::beyondLimit);
            } else {
                heartbeat.hurry(clock.now());
            }
        }
    }

    @Override
    public long promised(long heldFor, long at) {
        promise(heldFor + validity.needed(at));
        return promised();
    }

    private void lose(LeaseLossReason reason) {
        lose(reason, "");
    }

    @Override
    public void lose(LeaseLossReason reason, String how) {
        phase = Phase.LOST;
        lossReason = reason;
        validity.end();
        heartbeat.stop();
        reportLoss(reason, how);
        register.ended(this);
        turns.onLost(this);
        validity.failWaiting(this::notValid);
    }

    private void release(Sender.@Nullable Sending sending, long keep) {
        if (phase == Phase.ENDED) {
            return;
        }
        boolean wasHeld = phase == Phase.HELD;
        LeaseRunOutcome ended = outcome;
        Duration heldFor = heldFor();
        reportRelease(wasHeld, ended, heldFor);
        ItemRun run = ended == null || !counts(ended, wasHeld)
                ? null
                : new ItemRun(terms.once(), owner(), acquiredAt(), ended.name(), heldFor);
        phase = Phase.ENDED;
        Confirmed last = wasHeld && !register.isClosing() ? validity.confirmed() : null;
        validity.end();
        heartbeat.stop();
        Releases.Release release = releases.of(terms, tenure, acquired(), keep, run, last, released, sending);
        if (!wasHeld || !isHandedOut()) {
            var unused = release.quietly();
        }
        boolean mayHandOver = wasHeld && keep == 0 && !terms.holds() && terms.once() == null && ended == null;
        turns.onReleased(this, release, mayHandOver);
        if (release.delay() != null) {
            released.complete(null); // no caller waits for the end of a hold
        }
        register.ended(this);
        validity.failWaiting(this::notValid);
    }

    /** After a loss only a success counts: the lease may still be free, but an error may result from the loss. */
    private static boolean counts(LeaseRunOutcome ended, boolean wasHeld) {
        return ended == LeaseRunOutcome.SUCCEEDED || (ended == LeaseRunOutcome.FAILED && wasHeld);
    }
}
