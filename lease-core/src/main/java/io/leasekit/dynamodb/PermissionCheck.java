package io.leasekit.dynamodb;

/** The action if the check of a table finds that a permission is missing. */
public enum PermissionCheck {
    /** Refuses the table: if the first check finds that a permission is missing, opening the store fails. */
    FAIL,
    /** Logs a warning and accepts the table. */
    WARN,
    /** Does not check permissions. */
    OFF
}
