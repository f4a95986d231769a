package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes that are stopped, or killed, while they hold a lease. */
@Tag("full")
class StoppedProcessIT {

    private static final Duration TTL = Duration.ofSeconds(5); // kept by heartbeats also on a busy machine

    private final String key = UUID.randomUUID().toString();

    @Test
    @Timeout(600)
    void aProcessThatWasStoppedBeyondTheTtlKnowsAtItsFirstLook() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            LeaseProcesses.Child stopped = processes.start("stopped", Map.of());
            LeaseProcesses.Child other = processes.start("other", Map.of());
            assertThat(stopped.answer()).isEqualTo("ready");
            assertThat(other.answer()).isEqualTo("ready");
            assertThat(stopped.ask("try " + key)).isEqualTo("acquired");
            assertThat(stopped.ask("look " + key)).isEqualTo("valid");
            assertThat(other.ask("try " + key)).isEqualTo("unavailable");

            stopped.signal("STOP");
            assertThat(other.ask("wait " + key)).isEqualTo("acquired");
            stopped.tell("look " + key); // its first command after it continues
            stopped.signal("CONT");

            assertThat(stopped.answer()).isEqualTo("not valid");
            assertThat(other.ask("look " + key)).isEqualTo("valid");
        }
    }

    @Test
    @Timeout(600)
    void theFirstCallOfAnotherProcessTakesTheLeaseOfAKilledOne() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            LeaseProcesses.Child killed = processes.start("killed", Map.of());
            LeaseProcesses.Child other = processes.start("other", Map.of());
            assertThat(killed.answer()).isEqualTo("ready");
            assertThat(other.answer()).isEqualTo("ready");
            assertThat(killed.ask("try " + key)).isEqualTo("acquired");

            killed.signal("KILL");
            Thread.sleep(TTL.plusSeconds(7).toMillis());

            assertThat(other.ask("try " + key)).isEqualTo("acquired");
        }
    }
}
