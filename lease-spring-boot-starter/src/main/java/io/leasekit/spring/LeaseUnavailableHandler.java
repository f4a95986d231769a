package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls that got no lease, because another owner holds the lease or because the lease is paused.
 * {@link DistributedLease#unavailableHandler()} names the handler bean. The handler is not called if the store has
 * failed.
 */
@FunctionalInterface
public interface LeaseUnavailableHandler {

    /**
     * Returns the result of a call that did not get its lease. For each call that gets no lease, Leasekit calls the
     * handler once, in place of the method, on the caller's thread. If the method returns a stage, the handler runs on
     * a thread {@code lease-call-n}, which the handler may block. If the method returns a publisher or is a suspending
     * function, the handler must not block. Exceptions of the handler propagate to the caller. The handler may throw
     * the exception {@link LeaseUnavailableCall#unavailable()}.
     *
     * <p>If the call was a firing (a call by the scheduler), this node might still execute the firing's run later,
     * because the holder may fail to finish the run. A handler should not do the work of a run itself, because this
     * node might still execute the run later. See {@link DistributedLease#once()}.
     *
     * @return the result of the call; {@code null} for a method without a result
     * @throws Exception if the call should fail; if the exception is a checked exception, the annotated method should
     *     declare it
     * @throws LeaseUnavailableException if the handler rethrows the exception of the call
     */
    @Nullable
    Object handle(LeaseUnavailableCall call) throws Exception;
}
