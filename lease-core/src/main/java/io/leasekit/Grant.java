package io.leasekit;

/**
 * A write of an acquire that the table shows.
 *
 * @param written the attempt that wrote it
 * @param token the token of the item
 * @param renewAtOnce whether a later attempt was refused by it
 * @param handedOver whether a tenure of this process handed it over
 * @param waitedFor whether another process has marked the item as waited for
 */
record Grant(Tenure.Attempt written, long token, boolean renewAtOnce, boolean handedOver, boolean waitedFor) {}
