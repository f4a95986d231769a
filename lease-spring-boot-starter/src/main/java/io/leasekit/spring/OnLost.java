package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** Action when the lease is lost while the method runs. Each of these actions also logs the loss. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} after the method has returned. If the method itself throws, the method's
     * exception propagates, with the {@code LeaseLostException} as a suppressed exception. A returned
     * {@code CompletionStage} or publisher fails with the same exceptions after its work has ended.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. When the method ends, the interrupt
     * status is cleared, even if other code has also interrupted the thread after the loss. If the thread was
     * interrupted before the loss, the thread stays interrupted.
     *
     * <p>If the method returns a publisher, the subscription to this publisher is cancelled at once, and then the
     * subscriber receives the {@link LeaseLostException}. If the lease is lost while the publisher is being subscribed
     * to, the subscription is cancelled as soon as it exists. In that case, the subscriber may receive the exception
     * before the cancel. Work behind a {@code CompletionStage} is not interrupted.
     */
    INTERRUPT,
    /**
     * Returns the result of the method, although the lease was lost. Only {@link LeaseListener}s are notified of the
     * loss.
     */
    NOTIFY
}
