package io.leasekit.engine;

import io.leasekit.LeaseWatch.State;

/** A receiver of the states of one key. The methods are called by one thread at a time. */
interface Watcher {

    /**
     * Called with the outcome of each read that began after the watcher came, also with the same one again.
     *
     * @param isBlind whether no read has succeeded for the ttl instead, so the state is unknown
     */
    void onState(State state, boolean isBlind);

    /** Called after each read that failed and began after the watcher came. */
    default void onFailure(Throwable cause) {}

    /** Called when all watches are closed. */
    void onClose();
}
