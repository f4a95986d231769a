package io.leasekit.spring.aop;

import io.leasekit.Lease;
import java.lang.reflect.Method;
import java.util.stream.IntStream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The parameter that receives the lease if the caller passes {@code null}. */
final class LeaseParameter {

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

    /** Sets the parameter for an invocation that proceeds once. */
    void set(MethodInvocation invocation, Lease lease) {
        @Nullable Object[] arguments = invocation.getArguments();
        if (index != NONE && arguments[index] == null) {
            arguments[index] = lease;
        }
    }

    @Nullable
    Object proceed(MethodInvocation invocation, Lease lease) throws Throwable {
        @Nullable Object[] arguments = invocation.getArguments();
        if (index == NONE || arguments[index] != null) {
            return AsyncShell.proceed(invocation);
        }
        arguments[index] = lease;
        try {
            return AsyncShell.proceed(invocation);
        } finally {
            arguments[index] = null; // outer advice may retry the call, under another lease
        }
    }
}
