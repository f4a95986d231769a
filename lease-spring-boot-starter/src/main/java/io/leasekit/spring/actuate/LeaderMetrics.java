package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.LeaderElection.Work;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of elections, as listed in {@link LeaseMeters}. The starter adds {@code LeaderMetrics} to the elections of
 * methods with {@link io.leasekit.spring.LeaderOnly}. To measure an election that the application begins itself, call
 * {@link #elect}:
 *
 * <pre>{@code
 * metrics.elect("default", "ingest", work, measured -> leases.elect(LeaseRequest.of("ingest"), measured));
 * }</pre>
 *
 * If the meter registry fails, the failure is logged, and the election continues. The gauges of a closed election
 * remain until another election with the same manager and name begins. Thread-safe.
 */
public final class LeaderMetrics {

    private static final Logger log = LoggerFactory.getLogger(LeaderMetrics.class);

    private final MeterRegistry registry;

    /** Creates the meters. The gauges of an election are registered when the election begins. */
    public LeaderMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Begins an election and registers its meters. The meters do not prevent garbage collection of the election.
     *
     * @param manager the value of the tag {@code manager}
     * @param name the value of the tag {@code name}; an application should have few different names
     * @param work the work that this process does while it is the leader
     * @param elect begins the election with its argument, the measured work; exceptions of this function propagate to
     *     the caller
     * @return the election
     */
    public LeaderElection elect(String manager, String name, Work work, Function<Work, LeaderElection> elect) {
        Tags tags = Tags.of("manager", manager, "name", name);
        // The counter starts at zero, so that monitoring sees the first term as an increase.
        quietly(() -> terms(tags));
        LeaderElection election = elect.apply(lease -> {
            quietly(() -> terms(tags).increment());
            work.lead(lease);
        });
        quietly(() -> {
            gauge(LeaseMeters.LEADER, "Whether this process leads", tags, election, LeaderElection::isLeader);
            gauge(LeaseMeters.LEADER_STUCK, "Whether a leader ignores its stop", tags, election, LeaseHealth::isStuck);
        });
        return election;
    }

    private Counter terms(Tags tags) {
        return Counter.builder(LeaseMeters.LEADER_TERMS)
                .description("Terms of leaders that began in this process")
                .tags(tags)
                .register(registry);
    }

    private void gauge(
            String name, String description, Tags tags, LeaderElection election, Predicate<LeaderElection> value) {
        // An earlier election may have registered a gauge with the same name and tags.
        registry.find(name).tags(tags).gauges().forEach(registry::remove);
        Gauge.builder(name, election, leader -> value.test(leader) ? 1 : 0)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static void quietly(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            log.warn("Meters of a leader failed; its election goes on", e);
        }
    }
}
