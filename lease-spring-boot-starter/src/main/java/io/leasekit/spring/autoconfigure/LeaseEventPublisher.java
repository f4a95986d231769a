package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to leases as Spring events, on the manager's callback executor.
 *
 * @param publisher the application's
 */
record LeaseEventPublisher(ApplicationEventPublisher publisher) implements LeaseListener {

    @Override
    public void onEvent(LeaseEvent event) {
        publisher.publishEvent(event);
    }
}
