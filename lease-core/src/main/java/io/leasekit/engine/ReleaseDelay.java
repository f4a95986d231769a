package io.leasekit.engine;

/**
 * The delay of a release by a short hold (protocol 6.5).
 *
 * @param until the monotonic time of its end
 * @param begunAtMillis the time of its begin, in epoch milliseconds
 * @param endsAtMillis the time of its end, in epoch milliseconds
 */
record ReleaseDelay(long until, long begunAtMillis, long endsAtMillis) {}
