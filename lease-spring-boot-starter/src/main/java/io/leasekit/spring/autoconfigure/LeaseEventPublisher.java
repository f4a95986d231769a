package io.leasekit.spring.autoconfigure;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseListener;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes lease events as Spring events, on the thread that calls this {@link LeaseListener}. */
record LeaseEventPublisher(ApplicationEventPublisher publisher) implements LeaseListener {

    @Override
    public void onEvent(LeaseEvent event) {
        publisher.publishEvent(event);
    }
}
