package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.time.EngineTime;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * One call that acquires a permit (protocol 6.6). The {@link PermitQueue} requests one permit after another for this
 * call, each with its own {@link Acquisition}. A failed acquisition releases the permit that it may have written, so a
 * lost reply never leaves a caller with two permits.
 */
final class PermitCall extends AcquireCall {

    final int permits;

    /** The maximum number of permits that this process may hold, according to this call. */
    final int most;

    private final UUID id;
    private final PermitQueue queue;

    // Only the mailbox of the queue uses the fields below.
    boolean waits; // and no permit is requested for this call
    boolean isImpatient; // the call has no waitFor, or the waitFor has passed
    long since; // when the call was made or last refused; only a read that was sent later answers the call
    boolean answered; // a read has shown since then why the call gets no permit
    private Consumer<LeaseException> acquisition = why -> {}; // cancels the last one, which may have ended
    int refusals; // by other owners, which were faster
    int refusedSinceAnswer; // by a read
    private EngineTime.Timer timer = () -> {};

    PermitCall(LeaseRequest request, LeaseSpec spec, EngineParts parts, PermitQueue queue) {
        super(spec, parts.time, parts.reports, null, parts.time.nanos());
        this.permits = request.permits();
        this.most = request.permitsPerNode() == 0 ? permits : request.permitsPerNode();
        this.id = parts.tenures.get();
        this.queue = queue;
        this.since = called();
        this.isImpatient = !hasWait();
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public void cancel(LeaseException why) {
        queue.step(() -> {
            end(new Failed(why));
            acquisition.accept(why);
        });
    }

    /** Ends this call. The manager separately stops the acquisition that requests a permit for this call. */
    @Override
    public void stop(LeaseException why) {
        queue.step(() -> end(new Failed(why)));
    }

    // ---- queue

    /** Records that another owner acquired the permit that this call requested. */
    void onRefused(long now) {
        since = now;
        answered = false;
        refusals++;
        refusedSinceAnswer++;
    }

    /** Records that a read has shown no permit for this call. */
    void onAnswered() {
        answered = true;
        refusedSinceAnswer = 0;
    }

    /** Starts to wait. Unless the wait ends before, the queue handles its end after this time. */
    void await(long nanos) {
        waits = true;
        timer.cancel();
        timer = time.schedule(Math.max(0, nanos), () -> queue.step(() -> queue.onOverdue(this)));
    }

    /** Ends the wait of this call, because the acquisition now requests a permit for it. */
    void requests(Acquisition next) {
        endWait();
        acquisition = next::cancel;
    }

    private void endWait() {
        waits = false;
        timer.cancel();
    }

    /**
     * Ends this call with this result. If the call has already ended, ignores the result, and releases a granted lease
     * in it.
     */
    void end(Result ending) {
        endWait();
        if (result().complete(ending)) {
            if (ending instanceof Unavailable unavailable) {
                reports.unavailable(spec, unavailable);
            }
        } else if (ending instanceof Granted granted) {
            granted.held().releaseAsync();
        }
    }
}
