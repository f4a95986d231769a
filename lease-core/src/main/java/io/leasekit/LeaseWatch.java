package io.leasekit;

import io.leasekit.text.Text;
import org.jspecify.annotations.Nullable;

/**
 * A watch of one key. The watch tells a {@link Listener} which owner holds the lease, and when the key is free.
 *
 * <p>Guaranteed:
 *
 * <ul>
 *   <li>The first call of the listener never reports a state from a read that was sent before the watch began.
 *   <li>All watches of one manager for a key report states in the order of their fencing tokens. For one token, a watch
 *       reports {@link Held} before {@link Kept}, and {@link Kept} before {@link Free}. After a watch has reported a
 *       lease as free, it never reports a held lease with the same token.
 *   <li>A key is reported as free only if no holder had a valid lease of the key when the read was sent. Exception:
 *       after a forced release with {@link ForcedRelease.TwoMayRun}, the key is reported as free although the previous
 *       holder may still trust its lease.
 *   <li>If no read succeeds during one ttl of the manager, the watch reports {@link Unknown}.
 * </ul>
 *
 * <p>A watch can miss changes between two reads, and changes during a slow call of the listener. A state may be
 * outdated when the listener receives the state. Do not start work because of a reported state: acquire the lease.
 *
 * <p>A watch needs no thread. All watches of one manager for the same key share their reads, which are strongly
 * consistent. A watch begins with a read of the key. The time between two reads grows from about 10 ms to a second
 * while the state does not change. To end a watch, close the {@code LeaseWatch}. Closing the manager closes all its
 * watches. Thread-safe.
 *
 * @see LeaseInspector#watch(String, Listener)
 */
public interface LeaseWatch extends AutoCloseable {

    /** A receiver of the states of one key. */
    @FunctionalInterface
    interface Listener {

        /**
         * Called with the current state, and then with the new state after each change that a read shows. The listener
         * is called on the manager's callback executor. The calls of the listener of one watch never overlap. If
         * several states are read while the listener runs, only the newest state is reported when the listener has
         * returned. If the listener throws an exception or error, the manager logs the error and continues the watch.
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
     * The lease is held. The holder may be dead: the state changes only when the lease has ended.
     *
     * @param key the watched key
     * @param owner the owner's name; {@code null} if the table shows no name
     * @param fencingToken the lease's fencing token; if the table shows no token, the last token that this manager's
     *     watches of the key saw, or 0
     */
    record Held(String key, @Nullable String owner, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Held", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * The lease was released, but its {@code holdAtLeast} or {@code cooldown} keeps other owners from the key. While a
     * manager delays a release because of a short {@link LeaseRequest#holdAtLeast}, only its own watches report
     * {@code Kept}. Watches of other managers report {@link Held} until the delayed release.
     *
     * @param key the watched key
     * @param owner the last owner's name; {@code null} if the table shows no name
     * @param fencingToken the last lease's fencing token; if the table shows no token, the last token that this
     *     manager's watches of the key saw, or 0
     */
    record Kept(String key, @Nullable String owner, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Kept", "key, owner, fencingToken", key, owner, fencingToken);
        }
    }

    /**
     * The key is free: the last lease was released or has expired, or the key has never had a lease.
     *
     * @param key the watched key
     * @param fencingToken the last lease's fencing token; if the table shows no token, the last token that this
     *     manager's watches of the key saw, or 0
     */
    record Free(String key, long fencingToken) implements State {
        @Override
        public String toString() {
            return Text.record("Free", "key, fencingToken", key, fencingToken);
        }
    }

    /**
     * The state of the key is unknown: no read succeeded during one ttl of the manager, or the last read contradicts a
     * reported state. For example, a read shows a held lease, but its token or a larger token was reported as free.
     * Possible causes of a contradiction are a holder that was suspended until its lease had expired, and a client that
     * writes no fencing tokens.
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

    /**
     * Ends the watch. After {@code close} has returned, at most one further call of the listener begins. Never throws.
     */
    @Override
    void close();
}
