package io.leasekit.requests;

import io.leasekit.internal.Internal;

/** The renewals that wait for permission to send, as other requests see them. Thread-safe. */
@Internal
public interface Renewals {

    /** Runs a step. The renewals that the step adds are sent together. */
    void together(Runnable step);

    /** Returns whether the first renewal is so late that a new lease might not be renewed in time. */
    boolean areLate(long now);
}
