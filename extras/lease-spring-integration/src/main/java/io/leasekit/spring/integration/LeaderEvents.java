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
 * Publishes the terms of Leasekit's leaders as events of Spring Integration, so that its endpoints can follow them.
 * With Spring Boot, methods with {@code @LeaderOnly} use it to begin their elections.
 *
 * <p>Guaranteed for each term:
 *
 * <ul>
 *   <li>{@code OnGrantedEvent} is published on the thread of the work, under the lease, before the work begins.
 *   <li>{@code OnRevokedEvent} is published once: on that thread after the work has returned and before the lease is
 *       released, or at the loss of the lease if that comes first. So activities that a listener starts at the grant
 *       and stops at the revocation have stopped before another process leads, unless the lease is lost.
 * </ul>
 *
 * <p>Not guaranteed: that the revocation is published before the lease has ended, if the work ignores the signal to
 * stop or a listener is slow. A failure of a listener is logged and changes nothing. The role of an event is the key of
 * its election. Its {@link Context#yield()} resigns. Thread-safe; there is nothing to close.
 */
public final class LeaderEvents {

    private static final Logger log = LoggerFactory.getLogger(LeaderEvents.class);

    private final LeaderEventPublisher publisher;
    private final String keyPrefix;

    /** Creates events whose role is the whole key. */
    public LeaderEvents(LeaderEventPublisher publisher) {
        this(publisher, "");
    }

    /** Creates events whose role is the key without this prefix; empty for the whole key. */
    public LeaderEvents(LeaderEventPublisher publisher, String keyPrefix) {
        this.publisher = publisher;
        this.keyPrefix = keyPrefix;
    }

    /** Begins an election with the default settings whose terms are published. */
    public LeaderElection elect(LeaseManager leases, LeaseRequest request, LeaderElection.Work work) {
        return elect(leases, request, ElectionSettings.defaults(), work);
    }

    /**
     * Begins an election whose terms are published. Everything else, including the exceptions, is the same as in {@link
     * LeaseManager#elect(LeaseRequest, ElectionSettings, LeaderElection.Work)}.
     */
    public LeaderElection elect(
            LeaseManager leases, LeaseRequest request, ElectionSettings settings, LeaderElection.Work work) {
        CompletableFuture<LeaderElection> begun = new CompletableFuture<>();
        LeaderElection election = leases.elect(request, settings, lease -> new Term(lease, begun).lead(work));
        begun.complete(election);
        return election;
    }

    /** One term of a leader. */
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
                boolean told = Thread.interrupted(); // the stop of the work is not meant for the listeners
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
