package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** Action when the lease is lost while the method runs. Leasekit logs every loss, whatever the action is. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} after the method has returned. If the method itself throws, the method's
     * exception propagates, with the {@code LeaseLostException} as a suppressed exception. A returned
     * {@code CompletionStage} or publisher fails, after its work has ended, with the {@code LeaseLostException} or with
     * its own exception.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. When the method ends, the interrupt
     * status is cleared, even if other code has also interrupted the thread after the loss. If the thread was
     * interrupted before the loss, the thread stays interrupted.
     *
     * <p>If the method returns a publisher, the subscription to this publisher is cancelled at once, and then the
     * subscriber receives the {@link LeaseLostException}. If the lease is lost while the publisher is being subscribed
     * to, the subscription is cancelled as soon as it exists, possibly after the subscriber has received the
     * {@code LeaseLostException}. If the method returns a {@code CompletionStage}, the work of the stage is not
     * interrupted.
     */
    INTERRUPT,
    /**
     * Returns the result of the method, although the lease was lost. Only {@link LeaseListener}s are notified of the
     * loss.
     */
    NOTIFY
}
