package io.leasekit.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.tenure.Tenure;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EndedTenuresTest {

    private final EndedTenures ended = new EndedTenures(3);

    @Test
    void remembersTheMostRecentOnly() {
        for (int i = 1; i <= 8; i++) {
            ended.add(new UUID(i, 10 * i));
        }

        for (int i = 1; i <= 8; i++) {
            assertThat(ended.contains(new UUID(i, 10 * i))).isEqualTo(i > 5);
        }
    }

    @Test
    void aForcedReleaseIsNoEndedTenureEvenIfFewAreKnown() {
        assertThat(ended.contains(Tenure.NOBODY)).isFalse();
        ended.add(new UUID(1, 2));
        assertThat(ended.contains(Tenure.NOBODY)).isFalse();
    }

    @Test
    void bothHalvesCount() {
        ended.add(new UUID(1, 2));
        ended.add(new UUID(3, 4));

        assertThat(ended.contains(new UUID(1, 4))).isFalse();
        assertThat(ended.contains(new UUID(2, 3))).isFalse();
        assertThat(ended.contains(new UUID(2, 1))).isFalse();
        assertThat(ended.contains(new UUID(3, 4))).isTrue();
    }
}
