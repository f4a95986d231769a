package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls whose lease another owner holds or an operator has paused.
 * {@link DistributedLease#unavailableHandler()} names the bean. The handler receives no store failures.
 */
@FunctionalInterface
public interface LeaseUnavailableHandler {

    /**
     * Returns the result of a call that did not get its lease. The library calls the handler once for each such call,
     * in place of the method, on the caller's thread. If the method returns a stage, the handler runs on a thread
     * {@code lease-call-n}, which it may block. If the method returns a publisher or is a suspending function, the
     * handler must not block. Exceptions propagate to the caller. The handler may throw
     * {@link LeaseUnavailableCall#unavailable()}.
     *
     * <p>If the call was a firing that belongs to a run, this node may still execute that run later, if the holder does
     * not finish it. Therefore a handler should not do the run's work itself. See {@link DistributedLease#once()}.
     *
     * @return the result of the call; {@code null} for a method without a result
     * @throws Exception if the call is to fail; a checked exception should be one that the method declares
     * @throws LeaseUnavailableException if the handler rethrows the exception of the call
     */
    @Nullable
    Object handle(LeaseUnavailableCall call) throws Exception;
}
