package io.leasekit.engine;

import static io.leasekit.internal.EngineTime.SECOND;

import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.internal.Text;
import io.leasekit.requests.BoundedClock;
import io.leasekit.tenure.Tenure;
import io.leasekit.tenure.Validity.Confirmed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a granted lease, and the reports of what happens to it. Until the lease is handed out, no caller
 * knows of it, so its end is not reported. A base class of {@link LeaseState} rather than a separate object, because
 * thousands may be held. Identity is thread-safe; reports live in the mailbox of the lease.
 */
abstract class ReportedLease {

    private static final long LONG_HELD = 24 * 3_600 * SECOND;

    final LeaseTerms terms;
    final Tenure tenure;
    final BoundedClock clock;
    private final String owner;
    private final Reports reports;
    private final long token;
    private final long acquired;
    private final long acquiredAtMillis;
    private final CompletableFuture<LeaseLossReason> lost = new CompletableFuture<>();
    private volatile long promised; // written by the steps of the lease
    private boolean handedOut;
    private boolean atRisk;
    private boolean longHeld;

    ReportedLease(
            LeaseTerms terms, String owner, Tenure tenure, Tenure.Grant grant, BoundedClock clock, Reports reports) {
        this.terms = terms;
        this.tenure = tenure;
        this.clock = clock;
        this.owner = owner;
        this.reports = reports;
        this.token = grant.token();
        this.acquired = grant.written().sent();
        this.acquiredAtMillis = grant.written().reading().middleMillis();
        this.promised = terms.firstPromise();
    }

    // ---- for any thread

    final List<String> keys() {
        return terms.keys();
    }

    final String owner() {
        return owner;
    }

    final long token() {
        return token;
    }

    final UUID tenure() {
        return tenure.id();
    }

    /** Returns the name of the last run that the item had before this lease; {@code null} if none is known. */
    final @Nullable String runBefore() {
        return tenure.runBefore();
    }

    /** Returns the monotonic time of the acquire. */
    final long acquired() {
        return acquired;
    }

    /** Returns how long after its acquire the lease must be valid at least, because it is passive or was extended. */
    final long promised() {
        return promised;
    }

    /** Returns the error for a use that needs a valid lease; {@code reason}: of its loss, if it was lost. */
    final LeaseException notValid(@Nullable LeaseLossReason reason, boolean givenBack) {
        if (reason != null) {
            return new LeaseLostException(name() + " was lost: " + reason, reason);
        }
        return new LeaseException(
                name() + " is not valid" + (givenBack ? ": it was released" : " until a renewal succeeds"), null);
    }

    final LeaseException beyondLimit() {
        return new LeaseException(name() + " cannot be extended beyond its 'holdAtMost'", null);
    }

    private String name() {
        return "Lease " + terms.name() + " of owner " + Text.quote(owner) + " (token " + token + ")";
    }

    final LeaseLossReason reasonOfEnd(Confirmed last) {
        return terms.reasonOfEnd(last.last(), promised);
    }

    final Instant acquiredAt() {
        return Instant.ofEpochMilli(acquiredAtMillis);
    }

    final Duration heldFor() {
        return Duration.ofNanos(clock.now() - acquired);
    }

    final CompletableFuture<LeaseLossReason> lost() {
        return lost;
    }

    // ---- steps of the lease

    final void promise(long sinceAcquire) {
        promised = Math.max(promised, sinceAcquire);
    }

    /** Notes that a caller has the lease. From now on, its end is reported. */
    final void handedOut() {
        handedOut = true;
        reports.acquired(terms, token);
    }

    final boolean isHandedOut() {
        return handedOut;
    }

    final boolean isReportedAtRisk() {
        return atRisk;
    }

    /** Notes that a renewal has succeeded. */
    final void renewed() {
        atRisk = false;
    }

    /** Warns once if no renewal succeeds, because of this failure if any, and once if the lease is held for long. */
    final void warn(long now, Confirmed current, @Nullable Throwable failure) {
        if (!atRisk && current.untilAtRisk(terms.atRisk(), now) <= 0) {
            atRisk = true;
            reports.atRisk(terms, token, Duration.ofNanos(current.remaining(now)), failure);
        }
        if (!longHeld && now - acquired >= LONG_HELD) {
            longHeld = true;
            reports.longHeld(terms, token, heldFor());
        }
    }

    /** {@code how}: the rest of the log line. */
    final void reportLoss(LeaseLossReason reason, String how) {
        if (handedOut) {
            reports.lost(terms, token, reason, how, heldFor(), lost);
        }
    }

    /** {@code wasHeld}: it was not lost before; {@code run}: how its work ended, {@code null} if not recorded. */
    final void reportRelease(boolean wasHeld, @Nullable LeaseRunOutcome run, Duration heldFor) {
        if (wasHeld && handedOut) {
            reports.released(terms, token, heldFor);
        }
        if (run != null) {
            reports.ran(terms, token, run, heldFor);
        }
    }
}
