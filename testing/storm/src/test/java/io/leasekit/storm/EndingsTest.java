package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class EndingsTest {

    private final Story story = Story.endingWell("a").process("one", false);

    @Test
    void aLeaseThatIsValidAfterItsReleaseBeganIsAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 100).releaseBegun(50).valid(51, 52, 79);

        assertThat(story.violations().get(Judge.ENDINGS))
                .singleElement()
                .asString()
                .contains("after its release at 50");
    }

    @Test
    void aLeaseThatIsValidAfterItsLossWasToldIsAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 10).lost(50).valid(51, 52, 10);

        assertThat(story.violations()).containsOnlyKeys(Judge.ENDINGS);
    }

    @Test
    void aLossThatIsToldDuringASampleIsNone() {
        story.granted("one", "a", 1, 10, 20).valid(49, 60, 10).lost(50);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aLeaseThatIsValidBeyondItsLimitIsAViolation() {
        story.granted("one", "a", 1, 10, 20, Map.of("limit", 100L), null).valid(121, 122, 1);

        assertThat(story.violations()).containsOnlyKeys(Judge.ENDINGS);
    }

    @Test
    void aLeaseMayBeValidUpToItsLimit() {
        story.granted("one", "a", 1, 10, 20, Map.of("limit", 100L), null).valid(120, 122, 1);

        assertThat(story.violations()).isEmpty();
    }
}
