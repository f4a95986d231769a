package io.leasekit.dynamodb;

/** The effect if the check of a table finds a missing permission. */
public enum PermissionCheck {
    /** Opening the store fails, or a later background check refuses the table. */
    FAIL,
    /** A warning is logged. */
    WARN,
    /** Permissions are not checked, and no request is sent for that purpose. */
    OFF
}
