package io.leasekit.engine;

import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.kernel.LeaseRules;
import io.leasekit.pause.PauseBoard;
import io.leasekit.pause.PauseOrder;
import io.leasekit.requests.BoundedClock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Extends the decisions of the kernel with decisions about pauses, permits and watches. Thread-safe. */
class FeatureRules extends LeaseRules implements PauseOrder {

    /** Protocol 5.11. */
    @Override
    public boolean isOld(long ageNanos) {
        return ageNanos >= PauseBoard.MAX_AGE;
    }

    /** Protocol 5.11. */
    @Override
    public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
        return now == null || now.earliest() < untilNanos;
    }

    /** Protocol 6.6: each permit of a key has a slot, and slots are numbered from 0. */
    public IntStream slots(int permits) {
        return IntStream.range(0, permits);
    }

    /**
     * Protocol 9: a watch never reports a smaller token after a larger token. States with the same token are reported
     * in this order: held, kept by a hold, free.
     */
    public boolean mayFollow(State shown, State seen) {
        long before = token(shown);
        long now = token(seen);
        return before == now ? rank(shown) <= rank(seen) : before < now;
    }

    private static int rank(State state) {
        return state instanceof Held ? 0 : state instanceof Kept ? 1 : 2;
    }

    public static long token(State state) {
        if (state instanceof Held held) {
            return held.fencingToken();
        }
        if (state instanceof Kept kept) {
            return kept.fencingToken();
        }
        return state instanceof Free free ? free.fencingToken() : 0;
    }
}
