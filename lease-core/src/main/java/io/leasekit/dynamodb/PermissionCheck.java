package io.leasekit.dynamodb;

/** The effect of a missing permission that the check of a table finds. */
public enum PermissionCheck {
    /** Opening the store fails. If a later background check finds it, that check refuses the table. */
    FAIL,
    /** A warning is logged. */
    WARN,
    /** Permissions are not checked, and no request is sent for that purpose. */
    OFF
}
