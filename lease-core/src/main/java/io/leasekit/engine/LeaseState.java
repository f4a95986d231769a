package io.leasekit.engine;

import static io.leasekit.engine.LeaseRules.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.engine.Validity.Confirmed;
import io.leasekit.internal.Text;
import io.leasekit.store.ItemRun;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
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
final class LeaseState implements Renewer.Holder {

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
    private final Releases releases;
    private final Register register;
    private final Reports reports;
    private final Renewer.Heartbeat heartbeat;
    private final long token;
    private final long acquired;
    private final long acquiredAtMillis;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private final Validity validity;
    private volatile @Nullable LeaseLossReason lossReason;
    private volatile @Nullable LeaseRunOutcome outcome;

    // the rest lives in the mailbox
    private Phase phase = Phase.HELD;
    private boolean atRisk;
    private boolean longHeld;

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
        this.terms = terms;
        this.owner = owner;
        this.mailbox = mailbox;
        this.tenure = tenure;
        this.turns = turns;
        this.clock = clock;
        this.releases = releases;
        this.register = register;
        this.reports = reports;
        this.validity = new Validity(clock);
        this.heartbeat = renewer.of(this, terms, mailbox, tenure);
        this.token = grant.token();
        this.acquired = grant.written().sent();
        this.acquiredAtMillis = grant.written().reading().middleMillis();
    }

    /** Begins with the granting reply. The future completes once the lease may be handed out (protocol 4.1). */
    CompletableFuture<Void> start(Tenure.Grant grant, Requests.Reply reply) {
        heartbeat.confirm(grant.written(), reply);
        CompletableFuture<Void> handOut = new CompletableFuture<>();
        Confirmed granted = validity.confirmed();
        if (granted != null && validity.isValidAt(reply.at()) && granted.remaining(reply.at()) >= terms.ttl() / 2) {
            handOut.complete(null);
        } else {
            validity.await(handOut);
        }
        if (grant.renewAtOnce() || !handOut.isDone()) {
            heartbeat.hurry(reply.at());
        }
        decide();
        return handOut;
    }

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

    Validity validity() {
        return validity;
    }

    /** Returns whether the lease is at risk. */
    boolean isOverdue(long now) {
        Confirmed current = validity.confirmed();
        return current != null && current.untilLeft(terms.atRisk(), now) <= 0;
    }

    boolean isGivenBack() {
        return validity.isGivenBack();
    }

    CompletableFuture<LeaseLossReason> lost() {
        return lost;
    }

    CompletableFuture<Void> released() {
        return released;
    }

    Duration heldFor() {
        return Duration.ofNanos(clock.now() - acquired);
    }

    /** Returns the error for a use that needs a valid lease. */
    LeaseException notValid() {
        LeaseLossReason reason = lossReason;
        String what = "Lease " + terms.name() + " of owner " + Text.quote(owner) + " (token " + token + ")";
        return reason == null
                ? new LeaseException(what + " is not valid: it was released, or is being renewed", null)
                : new LeaseLostException(what + " was lost: " + reason, reason);
    }

    /** Completes the future once the lease is valid, after a renewal if necessary; exceptionally if it has ended. */
    void awaitValid(CompletableFuture<Void> confirmed) {
        mailbox.execute(() -> {
            if (validity.isValid()) {
                confirmed.complete(null);
            } else if (phase != Phase.HELD) {
                confirmed.completeExceptionally(notValid());
            } else {
                validity.await(confirmed);
                heartbeat.hurry(clock.now());
                decide();
            }
        });
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

    /**
     * Releases. This step may wait for another one; callers that ask for the lease meanwhile wait for the release.
     * {@code sending} sends on the calling thread; {@code null}: a sender thread does.
     */
    void giveBack(Sender.@Nullable Sending sending) {
        if (validity.giveBack()) {
            turns.onGivenBack(released);
        }
        mailbox.execute(() -> release(sending));
    }

    @Override
    public void decide() {
        Confirmed current = validity.confirmed();
        if (current == null) {
            return;
        }
        long now = clock.now();
        if (current.isOver(now, clock)) {
            lose(LeaseLossReason.EXPIRED);
        } else if (now - acquired >= terms.holdAtMost()) {
            lose(LeaseLossReason.HOLD_LIMIT);
        } else {
            try {
                warn(now, current);
                if (heartbeat.nanosUntilDue(now) <= 0) {
                    heartbeat.renew(current);
                }
            } finally {
                setTimer(now);
            }
        }
    }

    private void warn(long now, Confirmed current) {
        if (!atRisk && current.untilLeft(terms.atRisk(), now) <= 0) {
            atRisk = true;
            reports.atRisk(terms, token, Duration.ofNanos(current.remaining(now)));
        }
        if (!longHeld && now - acquired >= LONG_HELD) {
            longHeld = true;
            reports.longHeld(terms, token, heldFor());
        }
    }

    private void setTimer(long now) {
        Confirmed current = validity.confirmed();
        if (current != null) {
            long end = Math.min(current.remaining(now), terms.holdAtMost() - (now - acquired));
            heartbeat.sleep(now, atRisk ? end : Math.min(end, current.untilLeft(terms.atRisk(), now)));
        }
    }

    @Override
    public @Nullable Confirmed confirmed() {
        return validity.confirmed();
    }

    @Override
    public void onConfirmed(Confirmed confirmed) {
        validity.confirm(confirmed);
        atRisk = false;
    }

    @Override
    public void lose(LeaseLossReason reason) {
        phase = Phase.LOST;
        lossReason = reason;
        validity.end();
        heartbeat.stop();
        reports.lost(terms, token, reason, heldFor(), lost);
        register.ended(this);
        turns.onLost(this);
        validity.failWaiting(this::notValid);
    }

    private void release(Sender.@Nullable Sending sending) {
        if (phase == Phase.ENDED) {
            return;
        }
        boolean wasHeld = phase == Phase.HELD;
        LeaseRunOutcome ended = outcome;
        Duration heldFor = heldFor();
        if (wasHeld) {
            reports.released(terms, token, heldFor);
        }
        if (ended != null) {
            reports.ran(terms, token, ended, heldFor);
        }
        ItemRun run = ended == null || !counts(ended, wasHeld)
                ? null
                : new ItemRun(terms.once(), owner, acquiredAt(), ended.name(), heldFor);
        phase = Phase.ENDED;
        validity.end();
        heartbeat.stop();
        Releases.Release release = releases.of(terms, tenure, acquired, run, released, sending);
        boolean mayHandOver = wasHeld && !terms.holds() && terms.once() == null && ended == null;
        turns.onReleased(this, release, mayHandOver);
        register.ended(this);
        validity.failWaiting(this::notValid);
    }

    /** After a loss only a success counts: the lease may still be free, but an error may result from the loss. */
    private static boolean counts(LeaseRunOutcome ended, boolean wasHeld) {
        return ended == LeaseRunOutcome.SUCCEEDED || (ended == LeaseRunOutcome.FAILED && wasHeld);
    }
}
