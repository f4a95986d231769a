package io.leasekit.spring;

import io.leasekit.LeaseUnavailableException;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a call does that does not get its lease because another holds it: a bean that
 * {@link DistributedLease#unavailableHandler()} names. The store's failures do not come here.
 */
@FunctionalInterface
public interface LeaseUnavailableHandler {

    /**
     * Called on the caller's thread in place of the method, once for each call. What it throws, the caller gets;
     * {@link LeaseUnavailableCall#unavailable()} is there to be thrown.
     *
     * @return the call's result; {@code null} for a method without one
     * @throws Exception if the call is to fail; a checked exception should be one that the method declares
     * @throws LeaseUnavailableException as the default does
     */
    @Nullable
    Object handle(LeaseUnavailableCall call) throws Exception;
}
