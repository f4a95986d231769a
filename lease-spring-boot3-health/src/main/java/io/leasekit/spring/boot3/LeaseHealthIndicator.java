package io.leasekit.spring.boot3;

import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;

/** Health contributor that shows the result of the check. */
final class LeaseHealthIndicator implements HealthIndicator {

    private final LeaseHealthCheck check;

    LeaseHealthIndicator(LeaseHealthCheck check) {
        this.check = check;
    }

    @Override
    public Health health() {
        LeaseHealthCheck.Result result = check.check();
        Health.Builder health = result.up() ? Health.up() : Health.down();
        return health.withDetails(result.details()).build();
    }
}
