package io.leasekit.dynamodb;

/** How the check of a table treats missing permissions. */
public enum PermissionCheck {
    /** Refuses the table: if the first check finds that a permission is missing, opening the store fails. */
    FAIL,
    /** Logs a warning and accepts the table. */
    WARN,
    /** Does not check permissions. */
    OFF
}
