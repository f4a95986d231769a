package io.leasekit.dynamodb;

/** Effect of a missing permission that the check of a table finds. */
public enum PermissionCheck {
    /** The start fails, or the table is refused by a later check in the background. */
    FAIL,
    /** A warning is logged. */
    WARN,
    /** Permissions are not checked, and no request is sent for it. */
    OFF
}
