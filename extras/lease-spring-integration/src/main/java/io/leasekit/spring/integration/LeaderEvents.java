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
 * Publishes Spring Integration's leader events when this process becomes the leader of a Leasekit election, and when it
 * stops being the leader. Leader events can start and stop Spring Integration endpoints. With Spring Boot,
 * {@code @LeaderOnly} methods use this class to start their elections.
 *
 * <p>This class guarantees for each leadership of this process:
 *
 * <ul>
 *   <li>{@code OnGrantedEvent} is published before the leader's work starts, on the thread of the work, while this
 *       process holds the lease.
 *   <li>{@code OnRevokedEvent} is published once at the end of the leadership. If the lease is not lost,
 *       {@code OnRevokedEvent} is published on the thread of the leader's work, after the work has returned and before
 *       the lease is released. If the lease is lost while the leader's work runs, {@code OnRevokedEvent} is published
 *       as soon as this process notices the loss.
 * </ul>
 *
 * <p>A listener can start an activity when it gets {@code OnGrantedEvent}, and stop the activity when it gets
 * {@code OnRevokedEvent}. If the lease is not lost, listeners get {@code OnRevokedEvent} before another process becomes
 * the leader.
 *
 * <p>{@code OnRevokedEvent} may be published after the lease has ended if the work ignores the signal to stop or a
 * listener is slow. If a listener throws an exception, the exception is logged, and this process stays the leader. The
 * role of an event is the key of the election's lease, without the key prefix. To make the leader resign, call
 * {@link Context#yield()} on the context of an event. Thread-safe; there is nothing to close.
 */
public final class LeaderEvents {

    private static final Logger log = LoggerFactory.getLogger(LeaderEvents.class);

    private final LeaderEventPublisher publisher;
    private final String keyPrefix;

    /** Creates a publisher of leader events. The role of each event is the whole key of the election's lease. */
    public LeaderEvents(LeaderEventPublisher publisher) {
        this(publisher, "");
    }

    /**
     * Creates a publisher of leader events. The role of each event is the key of the election's lease, without
     * {@code keyPrefix}. If {@code keyPrefix} is empty, the role is the whole key.
     */
    public LeaderEvents(LeaderEventPublisher publisher, String keyPrefix) {
        this.publisher = publisher;
        this.keyPrefix = keyPrefix;
    }

    /** Starts an election with default settings, and publishes its leader events. */
    public LeaderElection elect(LeaseManager leases, LeaseRequest request, LeaderElection.Work work) {
        return elect(leases, request, ElectionSettings.defaults(), work);
    }

    /**
     * Starts an election, and publishes its leader events. Apart from the events, this method behaves like {@link
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
