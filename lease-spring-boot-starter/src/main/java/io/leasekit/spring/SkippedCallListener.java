package io.leasekit.spring;

/**
 * Receives calls of annotated methods that were skipped because the lease was unavailable or the store failed. Beans of this
 * type are registered automatically.
 */
@FunctionalInterface
public interface SkippedCallListener {

    /**
     * Called once for each skipped call, on the caller's thread. If the method returns a stage, it runs on a thread
     * {@code lease-call-n}, which may block. If the method returns a publisher or suspends, the thread must not be blocked. An
     * exception is logged and has no other effect.
     */
    void onSkipped(SkippedCall call);
}
