package io.leasekit.spring;

import io.leasekit.spring.context.LeaseFrame;
import reactor.core.publisher.Mono;

/**
 * Access to the lease of the calling code from the Reactor context, for methods with {@link DistributedLease} that
 * return a publisher. This access works on all threads of the subscription without further settings;
 * {@link LeaseContext} needs {@code spring.reactor.context-propagation=auto} for that. Requires Project Reactor.
 * Thread-safe.
 */
public final class ReactiveLeaseContext {

    private ReactiveLeaseContext() {}

    /**
     * Returns the context of the subscription. The {@code Mono} fails with an {@link IllegalStateException} if neither
     * the subscription nor the calling thread belongs to a method with {@link DistributedLease}.
     */
    public static Mono<LeaseContext> current() {
        return find().switchIfEmpty(Mono.error(() -> new IllegalStateException(
                "The subscription belongs to no method with @DistributedLease: the method was not called through its Spring"
                        + " proxy, or the Reactor context was lost on the way")));
    }

    /** Returns the context of the subscription, or of the calling thread; empty if there is none. */
    public static Mono<LeaseContext> find() {
        return Mono.deferContextual(context -> {
            LeaseFrame frame = context.getOrDefault(LeaseFrame.CONTEXT_KEY, LeaseFrame.innermost());
            return frame == null ? Mono.empty() : Mono.just(new LeaseContext(frame.lease()));
        });
    }
}
