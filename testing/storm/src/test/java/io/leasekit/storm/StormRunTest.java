package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import org.junit.jupiter.api.Test;

class StormRunTest {

    @Test
    void theArgumentsAreFolderDurationSeedAndProcesses() {
        Storm.Plan plan = StormRun.plan("target/long", "PT3H", "7", "4");

        assertThat(plan.folder()).isAbsolute().endsWithRaw(Path.of("target", "long"));
        assertThat(plan.duration()).isEqualTo(Duration.ofHours(3));
        assertThat(plan.seed()).isEqualTo(7);
        assertThat(plan.nodes()).hasSize(4).containsOnly(Broken.NOT);
        assertThat(plan.calm()).isFalse();
    }

    @Test
    void otherArgumentsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> StormRun.plan("target/long", "PT3H", "7"));
        assertThatIllegalArgumentException().isThrownBy(() -> StormRun.plan("target/long", "PT3H", "7", "0"));
        assertThatIllegalArgumentException().isThrownBy(() -> StormRun.plan("target/long", "PT0S", "7", "3"));
        assertThatThrownBy(() -> StormRun.plan("target/long", "3h", "7", "3"))
                .isInstanceOf(DateTimeParseException.class);
    }
}
