package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.test.AutoConfigureTestLeases;
import io.leasekit.test.TestLeases;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Calls whose leases are released before they return. */
@Timeout(600)
@SpringBootTest(classes = ReleaseInBackgroundTest.Jobs.class, properties = "lease.release-in-background=false")
@AutoConfigureTestLeases
class ReleaseInForegroundTest {

    private static final Duration REPLY = Duration.ofMillis(500);

    @Autowired
    private TestLeases leases;

    @Autowired
    private LeaseManager manager;

    @Autowired
    private ReleaseInBackgroundTest.Jobs jobs;

    @Test
    void whereReleasesAreNotInTheBackgroundTheCallWaitsForTheAnswer() {
        manager.find("job"); // the first request of a process
        leases.latency(REPLY);
        Instant begun = leases.now();

        jobs.run();

        assertThat(leases.now()).isEqualTo(begun.plus(REPLY).plus(REPLY));
        assertThat(leases).isFree("job");
    }
}
