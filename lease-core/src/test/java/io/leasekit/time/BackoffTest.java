package io.leasekit.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

    /** Sources that draw the least and the most of each range. */
    private static RandomGenerator always(boolean most) {
        return new Random() {
            @Override
            public long nextLong(long bound) {
                return most ? bound - 1 : 0;
            }
        };
    }

    @ParameterizedTest
    @CsvSource({
        "1, 100, 1000, 100", // the first
        "2, 100, 1000, 200",
        "4, 100, 1000, 800",
        "5, 100, 1000, 1000", // not 1600
        "4, 125, 1000, 1000", // exactly the cap
        "1000000, 100, 1000, 1000",
        "2147483647, 1, 9223372036854775807, 4611686018427387904", // no overflow
        "3, 9223372036854775807, 9223372036854775807, 9223372036854775807",
        "1, 500, 100, 100" // a cap below the first
    })
    void thePauseDoublesUpToTheCapAndHalfOfItIsRandom(int failures, long first, long cap, long longest) {
        assertThat(Backoff.nanos(failures, first, cap, always(true))).isEqualTo(longest / 2 + longest / 2);
        assertThat(Backoff.nanos(failures, first, cap, always(false))).isEqualTo(longest / 2);
    }

    @Test
    void twoSourcesDrawDifferentPauses() {
        assertThat(Backoff.nanos(3, 1_000_000, 60_000_000, new Random(1)))
                .isNotEqualTo(Backoff.nanos(3, 1_000_000, 60_000_000, new Random(2)));
    }
}
