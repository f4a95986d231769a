package io.leasekit.spring;

/**
 * A call of an annotated method that did not run.
 *
 * @param method the qualified name of the method
 * @param name the name of the lease: the key as written in the annotation, or the default key
 * @param manager the name of the manager; {@code default} for the only or primary one
 * @param reason the reason for skipping it
 */
public record SkippedCall(String method, String name, String manager, Reason reason) {

    /** Reason for skipping a call. */
    public enum Reason {
        /** Another owner held the lease. */
        UNAVAILABLE,
        /** The store failed. */
        STORE_FAILURE
    }
}
