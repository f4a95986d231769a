package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls whose lease is held by another owner or paused. {@link DistributedLease#unavailableHandler()} names the bean.
 * Store failures are not passed to it.
 */
@FunctionalInterface
public interface LeaseUnavailableHandler {

    /**
     * Called in place of the method, once for each call whose lease another owner holds or that is paused, on the caller's thread. If the
     * method returns a stage, it runs on a thread {@code lease-call-n}, which may block. If the method returns a publisher or
     * suspends, the thread must not be blocked. Exceptions propagate to the caller. The handler may throw
     * {@link LeaseUnavailableCall#unavailable()}.
     *
     * <p>If the call was a firing that belongs to a run, this node may still execute that run later, if the holder does not
     * finish it. So a handler should not do the work of the run. See {@link DistributedLease#once()}.
     *
     * @return the result of the call; {@code null} for a method without a result
     * @throws Exception if the call is to fail; a checked exception should be one that the method declares
     * @throws LeaseUnavailableException if the handler rethrows the exception of the call
     */
    @Nullable
    Object handle(LeaseUnavailableCall call) throws Exception;
}
