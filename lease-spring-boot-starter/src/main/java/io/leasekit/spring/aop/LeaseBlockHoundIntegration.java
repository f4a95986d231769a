package io.leasekit.spring.aop;

import io.leasekit.internal.Internal;
import reactor.blockhound.BlockHound;
import reactor.blockhound.integration.BlockHoundIntegration;

/**
 * Tells BlockHound, if an application uses it, that an acquire does not block while it reads random bytes from the
 * operating system. BlockHound finds this class as a service.
 */
@Internal
public final class LeaseBlockHoundIntegration implements BlockHoundIntegration {

    /** Creates the service. */
    public LeaseBlockHoundIntegration() {}

    @Override
    public void applyTo(BlockHound.Builder builder) {
        builder.allowBlockingCallsInside("io.leasekit.engine.EngineBuilder", "newTenure");
    }
}
