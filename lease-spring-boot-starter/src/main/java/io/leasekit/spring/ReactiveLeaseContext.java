package io.leasekit.spring;

import io.leasekit.spring.context.LeaseFrame;
import reactor.core.publisher.Mono;

/**
 * Reads the current lease from the Reactor context, for methods with {@link DistributedLease} that return a publisher.
 * {@code ReactiveLeaseContext} finds the lease on all threads of the subscription. {@link LeaseContext} finds the lease
 * on all threads only with {@code spring.reactor.context-propagation=auto}. This class requires Project Reactor.
 * Thread-safe.
 */
public final class ReactiveLeaseContext {

    private ReactiveLeaseContext() {}

    /**
     * Returns the context of the subscription. If the subscription has no context, returns the context of the calling
     * thread. The {@code Mono} fails with an {@link IllegalStateException} if neither the subscription nor the calling
     * thread belongs to a method with {@link DistributedLease}.
     */
    public static Mono<LeaseContext> current() {
        return find().switchIfEmpty(Mono.error(() -> new IllegalStateException(
                "The subscription belongs to no method with @DistributedLease: the method was not called through its Spring"
                        + " proxy, or the Reactor context was lost on the way")));
    }

    /**
     * Returns the context of the subscription. If the subscription has no context, returns the context of the calling
     * thread. The {@code Mono} is empty if neither the subscription nor the calling thread has a context.
     */
    public static Mono<LeaseContext> find() {
        return Mono.deferContextual(context -> {
            LeaseFrame frame = context.getOrDefault(LeaseFrame.CONTEXT_KEY, LeaseFrame.innermost());
            return frame == null ? Mono.empty() : Mono.just(new LeaseContext(frame.lease()));
        });
    }
}
