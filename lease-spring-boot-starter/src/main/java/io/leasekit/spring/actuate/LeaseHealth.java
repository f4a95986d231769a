package io.leasekit.spring.actuate;

import io.leasekit.LeaderElection;
import io.leasekit.LeaseException;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerStatus;
import io.leasekit.spring.boot3.LeaseHealthCheck;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health check for leases, based on the outcome of the requests that Leasekit has sent for leases.
 *
 * <p>The health check is down if a renewal is overdue, or if a leader's method still runs after its stop timeout. The
 * health check is also down if the table cannot store leases, or if all requests have failed for at least one ttl. A
 * lease of another owner never takes the health check down. After an outage of DynamoDB, the health check is up again
 * with the first successful request.
 *
 * <p>If the application has annotated methods, the health check sends one read for each manager that has sent no
 * request for 30 s. Without annotated methods, the health check sends no request. A manager that has sent no request
 * counts as up.
 *
 * <p>Do not use the health check as a liveness probe. Restarting a process does not restore DynamoDB, but ends the
 * leases that the process still holds. Thread-safe.
 */
public final class LeaseHealth implements LeaseHealthCheck {

    private static final Logger log = LoggerFactory.getLogger(LeaseHealth.class);
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final Supplier<Map<String, LeaseManager>> managers;
    private final BooleanSupplier hasAnnotatedMethods;
    private final Supplier<String> probedKey;
    private final Supplier<Map<String, LeaderElection>> leaders;
    private final ReentrantLock reading = new ReentrantLock();

    /**
     * Creates the check.
     *
     * @param managers the existing managers, by name
     * @param hasAnnotatedMethods whether the application has annotated methods
     * @param probedKey the key that the check reads if a manager has sent no request for 30 s
     * @param leaders the elections, by the names of their methods
     */
    public LeaseHealth(
            Supplier<Map<String, LeaseManager>> managers,
            BooleanSupplier hasAnnotatedMethods,
            Supplier<String> probedKey,
            Supplier<Map<String, LeaderElection>> leaders) {
        this.managers = managers;
        this.leaders = leaders;
        this.hasAnnotatedMethods = hasAnnotatedMethods;
        this.probedKey = probedKey;
    }

    @Override
    public Result check() {
        boolean up = true;
        Map<String, Object> details = new LinkedHashMap<>();
        for (Map.Entry<String, LeaseManager> manager : managers.get().entrySet()) {
            LeaseManagerStatus status = look(manager.getValue());
            if (status != null) {
                up &= isUp(status);
                details.put(manager.getKey(), details(status));
            }
        }
        Map<String, Object> ofLeaders = new LinkedHashMap<>();
        for (Map.Entry<String, LeaderElection> leader : leaders.get().entrySet()) {
            up &= !isStuck(leader.getValue());
            ofLeaders.put(leader.getKey(), details(leader.getValue()));
        }
        if (!ofLeaders.isEmpty()) {
            details.put("leaders", ofLeaders);
        }
        return new Result(up, details);
    }

    static boolean isStuck(LeaderElection leader) {
        return leader.stoppingFor()
                .filter(time -> time.compareTo(leader.stopTimeout()) > 0)
                .isPresent();
    }

    private static Map<String, Object> details(LeaderElection leader) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("leads", leader.isLeader());
        put(details, "stoppingFor", leader.stoppingFor().orElse(null));
        return details;
    }

    private @Nullable LeaseManagerStatus look(LeaseManager manager) {
        LeaseManagerStatus known = manager.status();
        // In a test, a mocked manager returns null.
        if (known == null) {
            return null;
        }
        // The last known state suffices if no read is needed or another thread reads at this moment.
        if (!hasAnnotatedMethods.getAsBoolean() || !isSilent(known) || !reading.tryLock()) {
            return known;
        }
        try {
            read(manager);
        } finally {
            reading.unlock();
        }
        return manager.status();
    }

    private void read(LeaseManager manager) {
        if (isSilent(manager.status())) {
            try {
                manager.find(probedKey.get());
            } catch (LeaseException e) {
                log.debug("Read for the health check of leases failed", e);
            }
        }
    }

    static boolean isSilent(LeaseManagerStatus status) {
        return isLongAgo(status.sinceSuccess()) && isLongAgo(status.sinceFailure());
    }

    private static boolean isLongAgo(@Nullable Duration since) {
        return since == null || since.compareTo(SILENCE) >= 0;
    }

    static boolean isUp(LeaseManagerStatus status) {
        return status.overdue() == 0 && status.tableProblem() == null && !isFailing(status);
    }

    /** Returns false if the last failure is too old, because the current state is then unknown. */
    private static boolean isFailing(LeaseManagerStatus status) {
        Duration failing = status.failingFor();
        Duration last = status.sinceFailure();
        return failing != null
                && last != null
                && failing.compareTo(status.ttl()) >= 0
                && last.compareTo(status.ttl().plus(SILENCE)) <= 0;
    }

    private static Map<String, Object> details(LeaseManagerStatus status) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("held", status.held());
        details.put("waiting", status.waiting());
        details.put("overdue", status.overdue());
        put(details, "sinceSuccess", status.sinceSuccess());
        put(details, "failingFor", status.failingFor());
        if (status.lastError() != null) {
            details.put("lastError", status.lastError());
        }
        if (status.tableProblem() != null) {
            details.put("table", status.tableProblem());
        }
        return details;
    }

    private static void put(Map<String, Object> details, String name, @Nullable Duration value) {
        if (value != null) {
            details.put(name, Duration.ofMillis(value.toMillis()).toString());
        }
    }
}
