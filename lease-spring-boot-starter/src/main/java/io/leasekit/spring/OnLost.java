package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** What a call does whose lease is lost while its method runs. The loss is logged at once in any case. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} once the method has returned. An exception of the method's own is thrown as it is, with
     * the loss as suppressed. Where the method returns a {@code CompletionStage}, the caller's completes so once the
     * method's has completed.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then does as {@link #THROW}. The interrupt does not outlive the method; one
     * that was there before is kept. The work behind a {@code CompletionStage} is not interrupted.
     */
    INTERRUPT,
    /** Returns what the method returned; the loss is told to {@link LeaseListener}s only. */
    NOTIFY
}
