package io.leasekit.spring.boot3;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.Status;

/** Health contributor that shows the result of the {@link LeaseHealthCheck}. */
final class LeaseHealthIndicator extends AbstractHealthIndicator {

    private final LeaseHealthCheck check;

    LeaseHealthIndicator(LeaseHealthCheck check) {
        super("Health check of leases failed");
        this.check = check;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        LeaseHealthCheck.Result result = check.check();
        health.status(result.up() ? Status.UP : Status.DOWN).withDetails(result.details());
    }
}
