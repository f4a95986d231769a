package io.leasekit.spring.context;

import io.leasekit.internal.Internal;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation carry the innermost {@link LeaseFrame} between threads. Micrometer finds this
 * class through the {@link java.util.ServiceLoader}. Thread-safe.
 */
@Internal
public final class LeaseThreadLocalAccessor implements ThreadLocalAccessor<LeaseFrame> {

    public LeaseThreadLocalAccessor() {}

    @Override
    public Object key() {
        return LeaseFrame.CONTEXT_KEY;
    }

    @Override
    public @Nullable LeaseFrame getValue() {
        return LeaseFrame.innermost();
    }

    @Override
    public void setValue(LeaseFrame frame) {
        LeaseFrame.replaceInnermost(frame);
    }

    @Override
    public void setValue() {
        LeaseFrame.replaceInnermost(null);
    }
}
