package io.leasekit;

import static io.leasekit.LeaseRules.MILLI;
import static io.leasekit.LeaseRules.SECOND;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One acquire call: its attempts, its polls while another holds the lease, its end (protocol 5.1, 5.4, 5.5).
 *
 * <pre>
 * RUNNING  -> GRANTED    the table shows the lease; it is handed out once it may be (4.1)
 * RUNNING  -> DONE       unavailable or failed
 * RUNNING  -> GIVEN_UP   cancelled; the answer or deadline of an attempt in flight is waited for
 * GRANTED  -> DONE       handed out, or lost before
 * GIVEN_UP -> DONE
 * </pre>
 *
 * Whatever ends it without a grant, what may have been written is released in the background. All steps run in the lease's
 * mailbox.
 */
final class Acquisition {

    private static final Logger log = LoggerFactory.getLogger(Acquisition.class);
    private static final long MAX_BACKOFF = SECOND;
    private static final int MAX_AT_ONCE = 4;

    private enum Phase {
        RUNNING,
        GRANTED,
        GIVEN_UP,
        DONE
    }

    private final LeaseEngine engine;
    private final LeaseTerms terms;
    private final Mailbox mailbox = new Mailbox(this::onFailedStep);
    private final Tenure tenure;
    private final long begun;
    private final Polling polling;
    private final CompletableFuture<AcquireResult> result = new CompletableFuture<>();

    // the rest lives in the mailbox
    private Phase phase = Phase.RUNNING;
    private EngineTime.@Nullable Timer timer;
    private boolean inFlight;
    private int failures;
    private int atOnce;
    private @Nullable LeaseItem holder;
    private @Nullable HeldLease granted;

    Acquisition(LeaseEngine engine, LeaseTerms terms) {
        this.engine = engine;
        this.terms = terms;
        this.tenure = new Tenure(engine.newTenure());
        this.begun = engine.clock.now();
        this.polling = new Polling(engine);
    }

    /** Completes normally, in a step of this acquire, on any thread. */
    CompletableFuture<AcquireResult> result() {
        return result;
    }

    void start() {
        mailbox.execute(this::attempt);
    }

    /** Gives up for the caller, who takes no lease any more: one that was granted meanwhile is released. */
    void cancel(LeaseException why) {
        mailbox.execute(() -> {
            stopNow(why);
            if (granted != null) {
                granted.releaseAsync();
            }
        });
    }

    /** Gives up for the manager: a lease that was handed out meanwhile is its holder's. */
    void stop(LeaseException why) {
        mailbox.execute(() -> stopNow(why));
    }

    private void stopNow(LeaseException why) {
        boolean notYetHandedOut = result.complete(new AcquireResult.Failed(why));
        if (notYetHandedOut && granted != null) {
            granted.releaseAsync();
        } else if (phase == Phase.RUNNING) {
            giveUp();
        }
    }

    /** A step threw, by an error of ours or of the store's: nobody waits for ever, and what may be written is released. */
    private void onFailedStep(Throwable error) {
        boolean wasRunning = phase == Phase.RUNNING;
        result.complete(new AcquireResult.Failed(
                new LeaseException("Acquire of lease " + Text.quote(terms.key()) + " failed", error)));
        if (wasRunning) {
            cancelTimer();
            tenure.leaveUnanswered();
            end();
        }
    }

    private void giveUp() {
        cancelTimer();
        phase = Phase.GIVEN_UP;
        if (!inFlight) {
            end();
        }
    }

    private void attempt() {
        if (phase != Phase.RUNNING) {
            return;
        }
        BoundedClock.Reading reading = engine.rules.beforeAcquire(engine.clock);
        if (reading == null) {
            engine.requests.syncClock(terms.key(), failure -> mailbox.execute(() -> onSynced(failure)));
        } else {
            send(reading);
        }
    }

    private void onSynced(@Nullable LeaseStoreException failure) {
        if (failure == null) {
            attempt();
        } else if (phase == Phase.RUNNING) {
            tryLater(failure, this::attempt);
        }
    }

    private void send(BoundedClock.Reading reading) {
        VersionRange own = engine.rules.ownBeforeAcquire(tenure);
        long known = Math.max(tenure.largestToken(), engine.observations.largestToken(terms.key()));
        long token = engine.rules.token(reading, known);
        engine.observations.sentToken(terms.key(), token);
        Tenure.Attempt attempt = tenure.next(reading, engine.rules.expiry(reading.latest(), terms.ttl(), token), token);
        inFlight = true;
        AcquireCommand command = new AcquireCommand(
                terms.key(),
                tenure.version(attempt.number()),
                attempt.expiry(),
                terms.ttl() / MILLI,
                token,
                engine.settings.owner(),
                reading.middleMillis(),
                engine.rules.freeBelow(reading),
                deadVersion(reading.sent()),
                own,
                null);
        engine.requests.send(
                reading,
                engine.rules.acquireTimeout(),
                timeout -> engine.store.write(command, timeout),
                reply -> mailbox.execute(() -> onReply(attempt, reply)));
    }

    private @Nullable String deadVersion(long now) {
        return holder != null && isDead(holder, now) ? holder.version() : null;
    }

    private boolean isDead(LeaseItem item, long now) {
        String version = item.version();
        return version != null && (engine.observations.isEnded(version) || engine.observations.isDead(item, now));
    }

    private void onReply(Tenure.Attempt attempt, Reply reply) {
        inFlight = false;
        if (reply.outcome().resent()) {
            tenure.leaveUnanswered();
        }
        if (phase == Phase.GIVEN_UP) {
            endGivenUp(reply.outcome());
        } else if (reply.outcome() instanceof StoreReply.Refused refused) {
            onRefused(attempt, refused.item(), reply);
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            if (failed.kind() == StoreReply.FailureKind.UNKNOWN) {
                tenure.leaveUnanswered();
            }
            onFailed(failed, this::attempt);
        } else {
            onWritten(attempt, attempt, attempt.token(), reply);
        }
    }

    /** The table shows, or showed, a write of this tenure: a grant if it came before its deadline (5.5). */
    private void onWritten(Tenure.Attempt written, Tenure.Attempt answered, long itsToken, Reply reply) {
        // after a jump the monotonic clock may have stood still: the deadline is not known to be kept
        boolean sameEpoch = written.reading().epoch() == engine.clock.epoch();
        if (sameEpoch && engine.rules.isGrantedInTime(written, reply.at())) {
            grant(written, itsToken, reply, written.number() != answered.number());
        } else {
            tenure.leaveUnanswered();
            tryAtOnce();
        }
    }

    private void onRefused(Tenure.Attempt answered, @Nullable LeaseItem item, Reply reply) {
        int shown = item == null ? 0 : engine.rules.numberOf(tenure, item.version());
        Tenure.Attempt written = shown == 0 ? null : engine.rules.confirmed(tenure, shown, answered.number());
        if (item != null && written != null && item.token() != null) {
            onWritten(written, answered, item.token(), reply);
        } else {
            holder = item;
            onOthers(item, reply.at());
        }
    }

    private void onOthers(@Nullable LeaseItem item, long now) {
        if (mayBeTaken(item, now) && atOnce < MAX_AT_ONCE) {
            tryAtOnce();
        } else if (now - begun >= terms.waitFor()) {
            finish(new AcquireResult.Unavailable(item == null ? null : engine.inspection.info(item, now)));
        } else {
            atOnce = 0;
            long untilEnd = terms.waitFor() - (now - begun);
            after(Math.min(polling.delayNanos(item, now), untilEnd), this::poll);
        }
    }

    /** Whether the next attempt will name a reason for which this item does not refuse it. */
    private boolean mayBeTaken(@Nullable LeaseItem item, long now) {
        if (item == null || item.version() == null || isDead(item, now)) {
            return true;
        }
        BoundedClock.Reading reading = engine.clock.readingSince(now);
        Long freeBelow = reading == null ? null : engine.rules.freeBelow(reading);
        return freeBelow != null && item.expiry() != null && item.expiry() < freeBelow;
    }

    private void poll() {
        engine.requests.read(terms.key(), reply -> mailbox.execute(() -> onPolled(reply)));
    }

    private void onPolled(Reply reply) {
        if (phase != Phase.RUNNING) {
            return;
        }
        if (reply.outcome() instanceof StoreReply.Found found) {
            holder = found.item();
            failures = 0;
            onOthers(found.item(), reply.at());
        } else if (reply.outcome() instanceof StoreReply.Failed failed) {
            onFailed(failed, this::poll);
        }
    }

    private void onFailed(StoreReply.Failed failed, Runnable again) {
        LeaseStoreException error = engine.requests.error(terms.key(), failed.cause());
        if (failed.kind() == StoreReply.FailureKind.REJECTED) {
            finish(new AcquireResult.Failed(error));
        } else {
            tryLater(error, again);
        }
    }

    private void tryAtOnce() {
        atOnce++;
        attempt();
    }

    private void tryLater(LeaseStoreException error, Runnable again) {
        failures++;
        long delay = Backoff.delayNanos(failures, MAX_BACKOFF, engine.random);
        long patience = Math.max(terms.waitFor(), LeaseTerms.nanos(engine.settings.storeTimeout()));
        if (engine.clock.now() - begun + delay > patience) {
            finish(new AcquireResult.Failed(error));
        } else {
            after(delay, again);
        }
    }

    private void after(long delayNanos, Runnable step) {
        timer = engine.time.schedule(
                delayNanos,
                () -> mailbox.execute(() -> {
                    if (phase == Phase.RUNNING) {
                        step.run();
                    }
                }));
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private void grant(Tenure.Attempt written, long itsToken, Reply reply, boolean renewAtOnce) {
        HeldLease lease = new HeldLease(engine, terms, mailbox, tenure, written, itsToken);
        phase = Phase.GRANTED;
        granted = lease;
        engine.onGranted(lease);
        lease.start(written, reply, renewAtOnce)
                .whenComplete((ready, lost) -> mailbox.execute(() -> handOut(lease, lost)));
    }

    private void handOut(HeldLease lease, @Nullable Throwable lost) {
        if (lost == null) {
            if (result.complete(new AcquireResult.Granted(lease))) {
                log.debug("Lease {} was acquired, token {}", Text.quote(terms.key()), lease.fencingToken());
                engine.events.publish(new LeaseEvent.Acquired(terms.key(), lease.owner(), lease.fencingToken()));
            }
        } else {
            lease.releaseAsync();
            result.complete(new AcquireResult.Failed(new LeaseStoreException(
                    "Lease " + Text.quote(terms.key()) + " was granted too late and could not be renewed in time",
                    lost)));
        }
        phase = Phase.DONE;
        engine.onEnded(this);
    }

    private void finish(AcquireResult ending) {
        phase = Phase.DONE;
        if (ending instanceof AcquireResult.Unavailable unavailable) {
            log.debug("Lease {} is unavailable: {}", Text.quote(terms.key()), unavailable.holder());
            engine.events.publish(new LeaseEvent.Unavailable(terms.key(), unavailable.holder()));
        }
        end();
        result.complete(ending);
    }

    private void endGivenUp(StoreReply outcome) {
        boolean surelyNotWritten = outcome instanceof StoreReply.Refused
                || (outcome instanceof StoreReply.Failed failed && failed.kind() != StoreReply.FailureKind.UNKNOWN);
        if (!surelyNotWritten) {
            tenure.leaveUnanswered();
        }
        end();
    }

    /** Ends without a grant: what an attempt without an answer may have written is released (5.5). */
    private void end() {
        phase = Phase.DONE;
        if (tenure.isUnanswered()) {
            engine.release(tenure, Release.ofGivenUp(engine, terms, tenure));
        }
        engine.onEnded(this);
    }
}
