package io.leasekit.spring;

/** Listener for skipped calls of annotated methods. Beans of this type are registered automatically. */
@FunctionalInterface
public interface SkippedCallListener {

    /**
     * Called once for each skipped call, on the caller's thread. If the method returns a stage, the listener runs on a
     * thread {@code lease-call-n}, which the listener may block. If the method returns a publisher or is a suspending
     * function, the listener must not block. An exception of the listener is logged and has no other effect.
     */
    void onSkipped(SkippedCall call);
}
