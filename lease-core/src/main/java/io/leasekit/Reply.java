package io.leasekit;

/**
 * What came back of a request, and when.
 *
 * @param outcome what the store answered
 * @param sent the monotonic time before the request was sent
 * @param at the monotonic time after the reply was received
 */
record Reply(StoreReply outcome, long sent, long at) {}
