package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** Action when the lease is lost while the method runs. Leasekit logs every loss, with every action. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} after the method has returned. If the method itself throws, the method's
     * exception propagates, with the {@code LeaseLostException} as a suppressed exception. A returned
     * {@code CompletionStage} or publisher fails after its work has ended, with the {@code LeaseLostException} or its
     * own exception.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. When the method ends, Leasekit clears
     * the thread's interrupt status, even if other code has interrupted the thread after the loss. A thread that was
     * interrupted before the loss stays interrupted.
     *
     * <p>If the method returns a publisher, Leasekit cancels the subscription at once, and then the subscriber receives
     * the {@link LeaseLostException}. If the lease is lost during {@code subscribe}, the subscriber may receive the
     * exception before Leasekit cancels the subscription. The work of a returned {@code CompletionStage} is not
     * interrupted.
     */
    INTERRUPT,
    /**
     * Returns the result of the method, although the lease was lost. Only {@link LeaseListener}s are notified of the
     * loss.
     */
    NOTIFY
}
