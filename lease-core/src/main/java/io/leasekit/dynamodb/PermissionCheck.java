package io.leasekit.dynamodb;

/** The action if the check of a table finds that a permission is missing. */
public enum PermissionCheck {
    /** The table is refused: if the first check finds the problem, opening the store fails. */
    FAIL,
    /** Logs a warning and accepts the table. */
    WARN,
    /** Does not check permissions. */
    OFF
}
