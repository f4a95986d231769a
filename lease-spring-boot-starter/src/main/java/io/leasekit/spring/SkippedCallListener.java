package io.leasekit.spring;

/** Listener for calls of annotated methods that were skipped. Beans of this type are registered automatically. */
@FunctionalInterface
public interface SkippedCallListener {

    /**
     * Called once for each skipped call, on the caller's thread. If the method returns a stage, the listener runs on a
     * thread {@code lease-call-n}, which it may block. If the method returns a publisher or is a suspending function,
     * the listener must not block. An exception is logged and has no other effect.
     */
    void onSkipped(SkippedCall call);
}
