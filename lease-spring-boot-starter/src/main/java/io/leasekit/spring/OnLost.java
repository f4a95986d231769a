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
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. The interrupt status that this sets is
     * cleared when the method ends. If the thread was interrupted before, it stays interrupted; a later interrupt is
     * cleared.
     *
     * <p>If the method returns a publisher, its subscription is cancelled at once, and then the subscriber receives the
     * loss. If the lease is lost during the subscribe, the subscription is cancelled as soon as it exists, perhaps
     * after the subscriber has received the loss. Work behind a {@code CompletionStage} is not interrupted.
     */
    INTERRUPT,
    /** Returns the result of the method. Only {@link LeaseListener}s are notified of the loss. */
    NOTIFY
}
