package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WeatherTest {

    /** Draws this many fates, one each 10 ms. */
    private static List<Fate> fates(Weather weather, int from, int count) {
        Random draw = new Random(1);
        return IntStream.range(0, count)
                .mapToObj(i -> weather.fate(from + 10 * i, draw))
                .toList();
    }

    @Test
    void aSeedRepeatsTheWeather() {
        assertThat(fates(Weather.of(7), 0, 900)).isEqualTo(fates(Weather.of(7), 0, 900));
        assertThat(fates(Weather.of(7), 0, 900)).isNotEqualTo(fates(Weather.of(8), 0, 900));
    }

    @Test
    void everyFaultOccursAndMostRequestsPass() {
        Map<Fate, Integer> counts = new EnumMap<>(Fate.class);
        fates(Weather.of(7), 0, 60_000).forEach(fate -> counts.merge(fate, 1, Integer::sum));

        assertThat(counts.keySet()).isEqualTo(EnumSet.allOf(Fate.class));
        assertThat(counts.get(Fate.PASSED)).isGreaterThan(20_000);
    }

    @Test
    void someErasHaveAnOutageLongerThanATtlOrSlowPaths() {
        int longest = 0;
        int slow = 0;
        int out = 0;
        for (Fate fate : fates(Weather.of(7), 0, 60_000)) {
            out = fate == Fate.CUT || fate == Fate.SWALLOWED ? out + 1 : 0;
            longest = Math.max(longest, out);
            slow += fate == Fate.DISTANT ? 1 : 0;
        }
        assertThat(longest * 10).isGreaterThan((int) Scene.TTL.toMillis());
        assertThat(slow).isGreaterThan(1_000);
    }

    @Test
    void theRatesChangeFromPhaseToPhase() {
        EnumSet<Fate> first = EnumSet.copyOf(fates(Weather.of(7), 0, 300));
        EnumSet<Fate> second = EnumSet.copyOf(fates(Weather.of(7), 3_000, 300));

        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void calmWeatherHasNoFaults() {
        assertThat(fates(Weather.only(Fate.PASSED), 0, 100)).containsOnly(Fate.PASSED);
    }
}
