package io.leasekit;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a tenure that is over leaves to the next one of its process: the item that still shows it as held, to be written over by
 * one acquire instead of a release and an acquire (6).
 *
 * @param terms the terms of the lease that is over
 * @param tenure its tenure: nothing is sent for it any more
 * @param versions all that it may have written
 * @param acquired the monotonic time at which the lease was acquired
 * @param run what a release is to record; {@code null}: nothing. One that records a run is never handed over
 * @param released completes once the table no longer shows the lease, or it has ended by itself
 */
record HandOver(
        LeaseTerms terms,
        Tenure tenure,
        VersionRange versions,
        long acquired,
        @Nullable LeaseRun run,
        CompletableFuture<Void> released) {}
