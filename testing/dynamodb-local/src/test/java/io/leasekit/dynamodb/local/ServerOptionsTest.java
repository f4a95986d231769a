package io.leasekit.dynamodb.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServerOptionsTest {

    @Test
    void takesFreePortAndLivesForEverByDefault() {
        assertThat(ServerOptions.parse()).isEqualTo(new ServerOptions(0, Optional.empty(), false));
    }

    @Test
    void readsEachOption() {
        assertThat(ServerOptions.parse("--port=8600", "--idle-timeout=60", "--end-with-parent"))
                .isEqualTo(new ServerOptions(8600, Optional.of(Duration.ofSeconds(60)), true));
    }

    @Test
    void refusesUnknownOption() {
        refuses("--prot=8600", "Unknown option '--prot=8600'");
    }

    @Test
    void refusesPortThatIsNoNumber() {
        refuses("--port=http", "Option '--port=http' needs a whole number");
    }

    @Test
    void refusesPortOutOfRange() {
        refuses("--port=-1", "Port must be from 0 to 65535, but is -1");
        refuses("--port=65536", "Port must be from 0 to 65535, but is 65536");
    }

    @Test
    void refusesIdleTimeoutBelowOneSecond() {
        refuses("--idle-timeout=0", "Idle timeout must be at least PT1S, but is PT0S");
    }

    private static void refuses(String option, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerOptions.parse(option))
                .withMessage(message);
    }
}
