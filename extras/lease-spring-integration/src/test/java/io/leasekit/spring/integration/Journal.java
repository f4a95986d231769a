package io.leasekit.spring.integration;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/** A publisher that writes the events of leaders down. */
class Journal implements LeaderEventPublisher {

    private static final long PATIENCE_SECONDS = 600;

    private final BlockingQueue<String> entries = new LinkedBlockingQueue<>();
    private volatile Context context;

    void add(String entry) {
        entries.add(entry);
    }

    /** Returns the next entry, for which it waits. */
    String next() {
        try {
            return entries.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    /** Returns the context of the last event. */
    Context context() {
        return context;
    }

    @Override
    public void publishOnGranted(Object source, Context of, String role) {
        context = of;
        entries.add("granted " + role);
    }

    @Override
    public void publishOnRevoked(Object source, Context of, String role) {
        context = of;
        entries.add("revoked " + role);
    }

    @Override
    public void publishOnFailedToAcquire(Object source, Context of, String role) {
        entries.add("refused " + role);
    }
}
