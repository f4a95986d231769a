package io.leasekit.spring.policy;

import io.leasekit.Lease;
import io.leasekit.internal.Internal;
import java.lang.reflect.Method;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The parameter that receives the lease if the caller passes {@code null}. */
@Internal
public final class LeaseParameter {

    private static final int NONE = -1;

    private final int index;

    private LeaseParameter(int index) {
        this.index = index;
    }

    static LeaseParameter of(Method method) {
        int[] all = indexes(method);
        return new LeaseParameter(all.length == 1 ? all[0] : NONE);
    }

    static int count(Method method) {
        return indexes(method).length;
    }

    private static int[] indexes(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return IntStream.range(0, types.length)
                .filter(i -> types[i] == Lease.class)
                .toArray();
    }

    /** Sets the parameter, unless the caller has passed a lease; returns whether it was set. */
    public boolean set(MethodInvocation invocation, Lease lease) {
        @Nullable Object[] arguments = invocation.getArguments();
        boolean isOurs = index != NONE && arguments[index] == null;
        if (isOurs) {
            arguments[index] = lease;
        }
        return isOurs;
    }

    /** Clears a parameter that was set. */
    public void clear(MethodInvocation invocation) {
        invocation.getArguments()[index] = null;
    }
}
