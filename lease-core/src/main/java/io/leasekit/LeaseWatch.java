package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one key: it reports to a {@link Listener} who holds the lease, and when the key is free.
 *
 * <p>Guaranteed:
 *
 * <ul>
 *   <li>The first call reports the current state. Unless this is {@link Unknown}, it comes from a read that was sent after the
 *       watch began.
 *   <li>All watches of one manager for a key show its states in the same order: by fencing token, and with the same
 *       token first held, then kept, then free. A lease that was shown as free is never shown as held under the same
 *       token.
 *   <li>A lease is shown as free only if no holder could rely on it when the read was sent, provided that the key was not
 *       freed by {@link ForcedRelease.TwoMayRun}.
 *   <li>If no read has succeeded for the manager's ttl, the state is {@link Unknown}, and no older one is shown.
 * </ul>
 *
 * <p>Not guaranteed: that each change is shown. Changes between two reads, or during a slow call of the listener, are
 * missed. A state may be outdated when the listener receives it. So do not start work because of a state: acquire the
 * lease.
 *
 * <p>A watch needs no thread. The watches of one manager for the same key share their reads: strongly consistent reads
 * with pauses that grow with the age of the state, from about 10 ms to a second. A read also follows each new watch. Close
 * the watch to end it; closing the manager closes its watches. Thread-safe.
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
     * @param fencingToken the lease's fencing token; if the table shows none, the last one that was seen, or 0
     */
    record Held(String key, @Nullable String owner, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Held", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * The lease was released, and a hold keeps the key. The manager that delays the release for a short hold shows this
     * state; other managers show {@link Held}.
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
     * @param fencingToken the last lease's fencing token; if the table shows none, the last one that was seen, or 0
     */
    record Free(String key, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Free", "key, fencingToken", key, fencingToken);
        }
    }

    /**
     * The state is not known: no read has succeeded for the manager's ttl, or the last read contradicts the order. A
     * read contradicts the order if the lease was shown as free and is held again with the same token or an older one,
     * for example by a holder that was suspended beyond its expiry, or by a client that writes no tokens.
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

    /** Ends the watch. The listener is not called any more; one call that is just beginning may still come. Never throws. */
    @Override
    void close();
}
