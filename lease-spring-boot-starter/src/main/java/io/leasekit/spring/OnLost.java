package io.leasekit.spring;

import io.leasekit.LeaseListener;
import io.leasekit.LeaseLostException;

/** Action when the lease is lost while the method runs. The loss is logged in any case. */
public enum OnLost {
    /**
     * Throws {@link LeaseLostException} after the method has returned. If the method itself throws, its exception
     * propagates, with the loss as a suppressed exception. If the method returns a {@code CompletionStage} or a
     * publisher, it fails in the same way after its work has ended.
     */
    THROW,
    /**
     * Interrupts the thread that runs the method, then acts as {@link #THROW}. This interrupt is cleared when the
     * method ends. An earlier interrupt is kept; one that comes after it is cleared with it. The work of a publisher is cancelled at once,
     * and its subscriber receives the loss after the cancel. Work that is just being subscribed to is cancelled as soon as that is
     * done, perhaps after the loss. Work behind a {@code CompletionStage} is not interrupted.
     */
    INTERRUPT,
    /** Returns the result of the method. Only {@link LeaseListener}s are notified of the loss. */
    NOTIFY
}
