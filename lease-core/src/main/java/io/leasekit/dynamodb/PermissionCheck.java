package io.leasekit.dynamodb;

/** What happens if the check of a table finds that a permission is missing. */
public enum PermissionCheck {
    /** The table is refused: if the first check finds the problem, opening the store fails. */
    FAIL,
    /** A warning is logged. */
    WARN,
    /** Permissions are not checked. */
    OFF
}
