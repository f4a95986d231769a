package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** Action when the lease is lost while the method runs. The loss is logged in any case. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} after the method has returned. If the method itself throws, its exception
     * propagates, with the loss as a suppressed exception. A returned {@code CompletionStage} or publisher fails in the
     * same way after its work has ended.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. When the method ends, the interrupt
     * status is cleared, even if other code has also interrupted the thread after the loss. If the thread was
     * interrupted before the loss, it stays interrupted.
     *
     * <p>If the method returns a publisher, the subscription to this publisher is cancelled at once, and then the
     * subscriber receives the {@link LeaseLostException}. If the lease is lost while the publisher is being subscribed
     * to, the subscription is cancelled as soon as it exists. The subscriber may then receive the exception before the
     * cancel. Work behind a {@code CompletionStage} is not interrupted.
     */
    INTERRUPT,
    /**
     * Returns the result of the method, although the lease was lost. Only {@link LeaseListener}s are notified of the
     * loss.
     */
    NOTIFY
}
