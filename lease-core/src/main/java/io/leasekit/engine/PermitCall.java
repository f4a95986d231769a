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
 * One call that acquires a permit (protocol 6.6). A failed acquisition releases the permit that it may have written, so
 * a lost reply never leaves a caller with two permits.
 */
final class PermitCall extends AcquireCall {

    final int permits;

    /** The maximum number of permits that this process may hold, according to this call. */
    final int most;

    private final UUID id;
    private final PermitQueue queue;

    // Only the mailbox of the queue uses the fields below.
    boolean waits; // whether the call waits and has requested no permit
    // The time of the call or of its last refusal; only a read sent later can refuse the call.
    long since;
    boolean answered; // whether a read that was sent after 'since' showed no free permit
    private Consumer<LeaseException> acquisition = why -> {};
    int refusals;
    int refusedSinceAnswer;
    private EngineTime.Timer timer = () -> {};

    PermitCall(LeaseRequest request, LeaseSpec spec, EngineParts parts, PermitQueue queue) {
        super(spec, parts.time, parts.reports, null, parts.time.nanos());
        this.permits = request.permits();
        this.most = request.permitsPerNode() == 0 ? permits : request.permitsPerNode();
        this.id = parts.tenures.get();
        this.queue = queue;
        this.since = called();
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

    /** The manager itself stops the acquisition that requests a permit for this call. */
    @Override
    public void stop(LeaseException why) {
        queue.step(() -> end(new Failed(why)));
    }

    // ---- queue

    void onRefused(long now) {
        since = now;
        answered = false;
        refusals++;
        refusedSinceAnswer++;
    }

    void onAnswered() {
        answered = true;
        refusedSinceAnswer = 0;
    }

    void await(long nanos) {
        waits = true;
        timer.cancel();
        timer = time.schedule(Math.max(0, nanos), () -> queue.step(() -> queue.onOverdue(this)));
    }

    void requests(Acquisition next) {
        endWait();
        acquisition = next::cancel;
    }

    private void endWait() {
        waits = false;
        timer.cancel();
    }

    /** A call that has ended gets no lease, so a late grant is released. */
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
