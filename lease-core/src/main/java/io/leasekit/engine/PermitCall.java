package io.leasekit.engine;

import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.kernel.Acquisition;
import io.leasekit.kernel.EngineParts;
import io.leasekit.kernel.LeaseSpec;
import org.jspecify.annotations.Nullable;

/**
 * One call that acquires a permit (protocol 6.6). The call itself sends nothing: it is queued until an acquire of one
 * permit has a result for it. A failed acquire releases the permit that it may have written, so a lost reply never leaves
 * a caller with two permits.
 */
final class PermitCall extends Acquisition {

    final int permits;

    /** The maximum number of permits that this process may hold, according to this call. */
    final int most;

    private final PermitQueue queue;

    // Only the mailbox of the queue uses the fields below.
    boolean waits; // whether the call waits and has requested no permit
    boolean isImpatient; // whether the call has no waitFor, or the waitFor has passed
    // The time of the call or of its last refusal; only a read sent later can refuse the call.
    long since;
    boolean answered; // whether a read that was sent after 'since' showed no free permit
    int refusals;
    int refusedSinceAnswer;

    @Nullable
    Acquisition last; // the last acquire of a permit for this call

    PermitCall(LeaseRequest request, LeaseSpec spec, EngineParts parts, PermitQueue queue) {
        super(spec, queue, parts.newTenure(), parts, null, parts.time.nanos());
        this.permits = request.permits();
        this.most = request.permitsPerNode() == 0 ? permits : request.permitsPerNode();
        this.queue = queue;
        this.since = called();
        this.isImpatient = !hasWait();
    }

    /** If the manager stops the calls instead, it stops their acquires of permits itself. */
    @Override
    public void cancel(LeaseException why) {
        queue.step(() -> {
            super.cancel(why);
            if (last != null) {
                last.cancel(why);
            }
        });
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
}
