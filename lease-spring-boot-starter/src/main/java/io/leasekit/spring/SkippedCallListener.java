package io.leasekit.spring;

/** Receives skipped calls of annotated methods. Beans of this type are registered automatically. */
@FunctionalInterface
public interface SkippedCallListener {

    /** Called once for each skipped call, on the caller's thread. An exception is logged and has no other effect. */
    void onSkipped(SkippedCall call);
}
