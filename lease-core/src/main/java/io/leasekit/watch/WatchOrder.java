package io.leasekit.watch;

import io.leasekit.LeaseWatch.Free;
import io.leasekit.LeaseWatch.Held;
import io.leasekit.LeaseWatch.Kept;
import io.leasekit.LeaseWatch.State;
import io.leasekit.internal.Internal;

/** The order of the states of one key (protocol 9). The engine decides it. Stateless, so thread-safe. */
@Internal
@FunctionalInterface
public interface WatchOrder {

    /** Returns whether the second of two known states may be shown after the first. */
    boolean mayFollow(State shown, State seen);

    /** Returns the rank of a state among those of one token. */
    static int rank(State state) {
        if (state instanceof Held) {
            return 0;
        }
        return state instanceof Kept ? 1 : 2;
    }

    /** Returns the token of a state; 0 if it has none. */
    static long token(State state) {
        if (state instanceof Held held) {
            return held.fencingToken();
        }
        if (state instanceof Kept kept) {
            return kept.fencingToken();
        }
        return state instanceof Free free ? free.fencingToken() : 0;
    }
}
