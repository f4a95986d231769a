package io.leasekit.storm;

/** The treatment of one request by the proxy. */
enum Fate {
    /** Delivered and answered. */
    PASSED,
    /** Never delivered; the connection stays open for a while. */
    SWALLOWED,
    /** Never delivered; the connection is closed at once. */
    CUT,
    /** Delivered, but never answered. */
    REPLY_SWALLOWED,
    /** Delivered; then the connection is closed without a reply. */
    REPLY_CUT,
    /** Delivered; the connection is closed in the middle of the reply. */
    REPLY_TORN,
    /** Delivered and answered, and a second copy is delivered later. */
    DUPLICATED,
    /** Delivered late, perhaps when its sender has given it up. */
    LATE,
    /** Delivered, and answered late. */
    SLOW,
    /** Delivered and answered after some time each, like all others on a slow path. */
    DISTANT,
    /** Never delivered, and answered with DynamoDB's error 500. */
    ERROR,
    /** Delivered, but answered with DynamoDB's error 500. */
    ERROR_AFTER_DELIVERY,
    /** Never delivered, and answered with the error 502 of an intermediary. */
    BAD_GATEWAY,
    /** Never delivered, and answered with DynamoDB's throttling. */
    THROTTLED,
    /** Delivered; the reply has no {@code Date}. */
    UNDATED,
    /** Delivered; the {@code Date} of the reply is a second ahead, as far as the servers' clocks may differ. */
    AHEAD,
    /** Delivered; the {@code Date} is wrong by 12 to 20 s. That is more than the protocol assumes, so it stays rare. */
    WRONG_DATE
}
