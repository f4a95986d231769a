package io.leasekit.spring.leader;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.spring.context.LeaseFrame;
import io.leasekit.spring.context.SharedLease;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** A call of a leader's method by the election, on the election's thread. */
final class LeaderCall implements SharedLease.Ending {

    private static final ThreadLocal<Boolean> BY_ELECTION = new ThreadLocal<>();

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    private LeaderCall() {}

    /** Returns true once for each call by the election. Nested calls get false. */
    static boolean isByElection() {
        boolean made = Boolean.TRUE.equals(BY_ELECTION.get());
        BY_ELECTION.remove();
        return made;
    }

    static void make(Object bean, LeaderMethod method, LeaseManager manager, Lease lease) throws Exception {
        LeaderCall call = new LeaderCall();
        SharedLease shared = new SharedLease(manager, lease, call);
        LeaseFrame frame = LeaseFrame.enter(shared, true);
        try {
            invoke(bean, method, lease);
        } finally {
            frame.exit();
            shared.leave();
            // The election releases the lease next, so this line waits for nested calls.
            call.ended.join();
        }
    }

    private static void invoke(Object bean, LeaderMethod method, Lease lease) throws Exception {
        Method invocable = AopUtils.selectInvocableMethod(method.method(), bean.getClass());
        ReflectionUtils.makeAccessible(invocable);
        @Nullable Object[] arguments = new Object[invocable.getParameterCount()];
        method.parameters().set(arguments, lease);
        BY_ELECTION.set(true);
        try {
            invocable.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
        } finally {
            BY_ELECTION.remove();
        }
    }

    @Override
    public void release(Lease lease) {
        ended.complete(null);
    }

    @Override
    public CompletionStage<Void> releaseAsync(Lease lease) {
        ended.complete(null);
        return CompletableFuture.completedStage(null);
    }
}
