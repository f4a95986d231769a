package io.leasekit.spring.integration;

import io.leasekit.ElectionSettings;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.text.Text;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Publishes events of Spring Integration when a leader of Leasekit begins or ends a term. Endpoints of Spring
 * Integration can start and stop with these events. With Spring Boot, {@code @LeaderOnly} methods use this class to
 * start their elections.
 *
 * <p>Guaranteed for each term (the time from the start to the end of one leadership):
 *
 * <ul>
 *   <li>{@code OnGrantedEvent} is published on the thread of the leader's work, under the lease, before the work
 *       starts.
 *   <li>{@code OnRevokedEvent} is published once. If the lease is not lost, the event is published on the thread of the
 *       leader's work, after the work has returned and before the lease is released. If the lease is lost while the
 *       work runs, the event is published at the loss.
 * </ul>
 *
 * <p>So a listener can start an activity when it gets {@code OnGrantedEvent}, and stop the activity when it gets
 * {@code OnRevokedEvent}. Unless the lease is lost, the listener's activity has stopped before another process becomes
 * the leader.
 *
 * <p>Not guaranteed: if the work ignores the signal to stop, or if a listener is slow, {@code OnRevokedEvent} may be
 * published after the lease has ended. If a listener fails, the failure is logged and the term continues. The role of
 * an event is the key of the election. {@link Context#yield()} of an event makes the leader resign. Thread-safe; there
 * is nothing to close.
 */
public final class LeaderEvents {

    private static final Logger log = LoggerFactory.getLogger(LeaderEvents.class);

    private final LeaderEventPublisher publisher;
    private final String keyPrefix;

    /** Creates a publisher of events whose role is the whole key. */
    public LeaderEvents(LeaderEventPublisher publisher) {
        this(publisher, "");
    }

    /**
     * Creates a publisher of events whose role is the key without this prefix. If the prefix is empty, the role is the
     * whole key.
     */
    public LeaderEvents(LeaderEventPublisher publisher, String keyPrefix) {
        this.publisher = publisher;
        this.keyPrefix = keyPrefix;
    }

    /** Starts an election with default settings, and publishes the events of its terms. */
    public LeaderElection elect(LeaseManager leases, LeaseRequest request, LeaderElection.Work work) {
        return elect(leases, request, ElectionSettings.defaults(), work);
    }

    /**
     * Starts an election, and publishes the events of its terms. Apart from the events, this method behaves like {@link
     * LeaseManager#elect(LeaseRequest, ElectionSettings, LeaderElection.Work)}.
     */
    public LeaderElection elect(
            LeaseManager leases, LeaseRequest request, ElectionSettings settings, LeaderElection.Work work) {
        CompletableFuture<LeaderElection> begun = new CompletableFuture<>();
        LeaderElection election = leases.elect(request, settings, lease -> new Term(lease, begun).lead(work));
        begun.complete(election);
        return election;
    }

    private final class Term implements Context {

        private final Lease lease;
        private final CompletableFuture<LeaderElection> election;
        private final AtomicBoolean revoked = new AtomicBoolean();

        Term(Lease lease, CompletableFuture<LeaderElection> election) {
            this.lease = lease;
            this.election = election;
        }

        void lead(LeaderElection.Work work) throws Exception {
            publish("OnGrantedEvent", () -> publisher.publishOnGranted(LeaderEvents.this, this, getRole()));
            try {
                var unused = lease.lost().thenRun(this::revoke);
                work.lead(lease);
            } finally {
                boolean told = Thread.interrupted(); // the interrupt is meant for the work, not for listeners
                revoke();
                if (told) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private void revoke() {
            if (revoked.compareAndSet(false, true)) {
                publish("OnRevokedEvent", () -> publisher.publishOnRevoked(LeaderEvents.this, this, getRole()));
            }
        }

        private void publish(String event, Runnable call) {
            try {
                call.run();
            } catch (Throwable e) {
                log.warn("A listener of {} for leader of {} failed", event, Text.quote(lease.key()), e);
            }
        }

        @Override
        public boolean isLeader() {
            LeaderElection known = election.getNow(null);
            return !revoked.get() && lease.isValid() && (known == null || known.isLeader());
        }

        @Override
        public void yield() {
            var unused = election.thenAccept(LeaderElection::resign);
        }

        @Override
        public String getRole() {
            String key = lease.key();
            return key.startsWith(keyPrefix) ? key.substring(keyPrefix.length()) : key;
        }

        @Override
        public String toString() {
            return "Leader[role=" + Text.quote(getRole()) + ", token=" + lease.fencingToken() + "]";
        }
    }
}
