package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.store.LeaseItem;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The properties have the same limits and defaults as the builder of the manager, which declares them separately. */
class LeaseManagerPropertiesTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ttl=2000ms                         | ttl=1999ms
            ttl=365d                           | ttl=P365DT0.001S
            ttl=10s heartbeat-interval=5s      | ttl=10s heartbeat-interval=5001ms
            heartbeat-interval=1ms             | heartbeat-interval=0s
            store-timeout=1ms                  | store-timeout=0s
            close-timeout=0s                   | close-timeout=-1ms
            observation-time=1ms               | observation-time=0s
            max-waiters-per-key=1              | max-waiters-per-key=0
            at-risk-fraction=0.001             | at-risk-fraction=0
            at-risk-fraction=0.999             | at-risk-fraction=1
            retention=15m                      | retention=899999ms
            retention=7d once-retention=7d     | retention=7d once-retention=6d
            owner=a                            | owner=
            """)
    void theLimitsAreTheBuilders(String accepted, String refused) {
        LeasePropertyChecks checks = new LeasePropertyChecks("lease");
        assertThatNoException().isThrownBy(() -> checks.manager(properties(accepted)));
        assertThatNoException().isThrownBy(() -> manager(properties(accepted)).close());
        assertThatExceptionOfType(LeaseSetupException.class).isThrownBy(() -> checks.manager(properties(refused)));
        assertThatIllegalArgumentException().isThrownBy(() -> manager(properties(refused)));
    }

    @Test
    void anOwnersLengthIsLimitedAsByTheBuilder() {
        theLimitsAreTheBuilders("owner=" + "a".repeat(1_024), "owner=" + "a".repeat(1_025));
    }

    @Test
    void theDefaultsAreTheBuilders() {
        LeaseManagerProperties defaults = new Binder(new MapConfigurationPropertySource(Map.of()))
                .bindOrCreate("lease", LeaseProperties.class)
                .manager();

        assertThat(traces(defaults)).isEqualTo(traces(properties("")));
        assertThat(mostWaiters(defaults)).isEqualTo(mostWaiters(properties(""))).isBetween(1_000, 1_001);
    }

    private static LeaseManagerProperties properties(String assignments) {
        Map<String, Object> values = new HashMap<>();
        Arrays.stream(assignments.split(" "))
                .map(assignment -> assignment.split("=", -1))
                .filter(assignment -> assignment.length == 2)
                .forEach(assignment -> values.put("manager." + assignment[0], assignment[1]));
        return new Binder(new MapConfigurationPropertySource(values))
                .bindOrCreate("manager", LeaseManagerProperties.class);
    }

    private static LeaseManager manager(LeaseManagerProperties properties) {
        return manager(properties, new InMemoryLeaseStore());
    }

    private static LeaseManager manager(LeaseManagerProperties properties, InMemoryLeaseStore store) {
        var builder = LeaseManager.builder(store);
        properties.applyTo(builder);
        return builder.build();
    }

    /** Returns the items that leases leave at a fixed time. They show the ttl, the release mode and both retentions. */
    private static List<String> traces(LeaseManagerProperties properties) {
        InMemoryLeaseStore store =
                new InMemoryLeaseStore(Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC));
        try (LeaseManager manager = manager(properties, store);
                Lease held = acquire(manager, "held")) {
            acquire(manager, "released").close();
            Lease ran = manager.acquire(LeaseRequest.of("ran").once("1", OnceOrder.GROWING));
            ran.recordRun(LeaseRunOutcome.SUCCEEDED);
            ran.close();
            assertThat(store.items()).containsOnlyKeys(held.key(), "released", "ran");
            return store.items().values().stream()
                    .map(LeaseManagerPropertiesTest::trace)
                    .sorted()
                    .toList();
        }
    }

    private static String trace(LeaseItem item) {
        return item.key() + " until " + item.expiry() + " for " + item.durationMillis();
    }

    private static int mostWaiters(LeaseManagerProperties properties) {
        List<CompletableFuture<?>> waiters = new ArrayList<>();
        try (LeaseManager manager = manager(properties);
                Lease held = acquire(manager, "key")) {
            LeaseRequest waiting = LeaseRequest.of(held.key()).waitFor(LeaseRequest.UNLIMITED);
            for (int i = 0; i < 1_100; i++) {
                waiters.add(manager.acquireAsync(waiting));
            }
            int most = manager.waiting().size();
            waiters.forEach(waiter -> waiter.cancel(true));
            return most;
        }
    }

    private static Lease acquire(LeaseManager manager, String key) {
        return manager.acquire(LeaseRequest.of(key));
    }
}
