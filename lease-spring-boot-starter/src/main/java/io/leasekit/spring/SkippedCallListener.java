package io.leasekit.spring;

/** Told of calls of annotated methods that were skipped. Beans of this type are found by themselves. */
@FunctionalInterface
public interface SkippedCallListener {

    /** Called once for each skipped call, on the caller's thread. What it throws is logged and changes nothing. */
    void onSkipped(SkippedCall call);
}
