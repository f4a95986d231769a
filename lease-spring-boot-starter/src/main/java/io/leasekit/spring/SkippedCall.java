package io.leasekit.spring;

/**
 * A call of an annotated method that did not run.
 *
 * @param method the method's qualified name
 * @param name the lease's name: the text of the annotation's key as written, or the default key
 * @param manager the name of the manager, {@code default} for the only or primary one
 * @param reason why it was skipped
 */
public record SkippedCall(String method, String name, String manager, Reason reason) {

    /** Why a call is skipped. */
    public enum Reason {
        /** Another held the lease. */
        UNAVAILABLE,
        /** The store failed. */
        STORE_FAILURE
    }
}
