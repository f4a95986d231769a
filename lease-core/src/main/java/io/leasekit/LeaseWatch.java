package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one key: it reports to a {@link Listener} who holds the lease, and when the key is free.
 *
 * <p>Guaranteed:
 *
 * <ul>
 *   <li>The first call reports the current state. Unless this state is {@link Unknown}, it comes from a read that was
 *       sent after the watch began.
 *   <li>All watches of one manager for a key report the states in the same order: by fencing token, and with the same
 *       token first held, then kept, then free. A lease that was reported as free is never reported as held with the
 *       same token.
 *   <li>A lease is reported as free only if no holder could rely on it when the read was sent. A key that was freed by
 *       {@link ForcedRelease.TwoMayRun} is an exception.
 *   <li>If no read has succeeded for the manager's ttl, the state is {@link Unknown}. An older state is not reported.
 * </ul>
 *
 * <p>Not guaranteed: that each change is reported. Changes between two reads, or during a slow call of the listener,
 * are missed. A state may be outdated when the listener receives it, so do not start work because of a state: acquire
 * the lease.
 *
 * <p>A watch needs no thread. All watches of one manager for the same key share strongly consistent reads. A new watch
 * causes a read. The time between reads grows with the age of the state, from about 10 ms to a second. Close the watch
 * to end it; closing the manager closes its watches. Thread-safe.
 *
 * @see LeaseInspector#watch(String, Listener)
 */
public interface LeaseWatch extends AutoCloseable {

    /** A receiver of the states of one key. */
    @FunctionalInterface
    interface Listener {

        /**
         * Called with the current state, then after each change that a read shows, on the manager's callback executor.
         * The calls of one watch never overlap. While a call runs, only the newest state waits. A throwable is logged
         * and has no other effect.
         */
        void onState(State state);
    }

    /** The state of one key. */
    sealed interface State {

        /** Returns the watched key. */
        String key();

        /** Returns whether the key is known to be free. */
        default boolean isFree() {
            return this instanceof Free;
        }
    }

    /**
     * The lease is held. Its holder may be dead until the lease has expired.
     *
     * @param key the watched key
     * @param owner the owner's name; {@code null} if the table shows none
     * @param fencingToken the lease's fencing token; if the table shows none, the last token that was seen, or 0
     */
    record Held(String key, @Nullable String owner, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Held", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * The lease was released, and a hold keeps the key. If a short hold delays the release, only the manager that
     * delays it reports this state; other managers report {@link Held}.
     *
     * @param key the watched key
     * @param owner the last owner's name; {@code null} if the table shows none
     * @param fencingToken the last lease's fencing token, as for {@link Held}
     */
    record Kept(String key, @Nullable String owner, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Kept", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * The key is free: its last lease was released or has expired, or there was none.
     *
     * @param key the watched key
     * @param fencingToken the last lease's fencing token; if the table shows none, the last token that was seen, or 0
     */
    record Free(String key, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Free", "key, fencingToken", key, fencingToken);
        }
    }

    /**
     * The state is unknown: no read has succeeded for the manager's ttl, or the last read contradicts the order of
     * states. This happens if a lease that was reported as free is held again with the same token or an older token.
     * The reason can be a holder that was suspended beyond its expiry, or a client that writes no tokens.
     *
     * @param key the watched key
     */
    record Unknown(String key) implements State {
        @Override
        public String toString() {
            return Text.record("Unknown", "key", key);
        }
    }

    /** Returns the watched key. */
    String key();

    /** Ends the watch. The listener is not called any more, except for a call that is just beginning. Never throws. */
    @Override
    void close();
}
