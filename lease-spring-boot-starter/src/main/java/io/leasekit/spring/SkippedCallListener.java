package io.leasekit.spring;

/**
 * Listener for skipped calls of annotated methods. Leasekit registers {@code SkippedCallListener} beans automatically.
 */
@FunctionalInterface
public interface SkippedCallListener {

    /**
     * Called once for each skipped call, on the caller's thread. If the skipped method returns a stage, the listener
     * runs on a thread {@code lease-call-n}, which the listener may block. If the skipped method returns a publisher or
     * is a suspending function, the listener must not block. An exception of the listener is logged and has no other
     * effect.
     */
    void onSkipped(SkippedCall call);
}
