package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls that got no lease because another owner holds the lease or the lease is paused.
 * {@link DistributedLease#unavailableHandler()} names the handler bean. If the store fails, Leasekit does not call the
 * handler.
 */
@FunctionalInterface
public interface LeaseUnavailableHandler {

    /**
     * Returns the result of a call that did not get its lease. For each call that gets no lease, Leasekit calls the
     * handler once, in place of the method, on the caller's thread. If the annotated method returns a stage, the
     * handler runs on a thread {@code lease-call-n}, which the handler may block. If the annotated method returns a
     * publisher or is a suspending function, the handler must not block. Exceptions of the handler propagate to the
     * caller. The handler may throw the exception {@link LeaseUnavailableCall#unavailable()}.
     *
     * <p>A handler should not do the work of a scheduled run itself: if the holder does not finish the run, this node
     * might execute it later. See {@link DistributedLease#once()}.
     *
     * @return the result of the call; {@code null} for a method without a result
     * @throws Exception if the call should fail; throw only checked exceptions that the annotated method declares
     * @throws LeaseUnavailableException if the handler rethrows the exception of the call
     */
    @Nullable
    Object handle(LeaseUnavailableCall call) throws Exception;
}
