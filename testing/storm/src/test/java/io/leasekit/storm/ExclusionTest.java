package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExclusionTest {

    private final Story story = Story.endingWell("a", "b").process("one", false).process("two", false);

    @Test
    void overlappingSamplesAreAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 5).valid(60, 61, 5);
        story.granted("two", "a", 2, 35, 40).valid(45, 46, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION);
    }

    @Test
    void aLeaseThatIsValidWithinThePromiseOfAnotherOneIsAViolationWithoutFurtherSamples() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 100);
        story.granted("two", "a", 2, 35, 40).valid(100, 101, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION);
    }

    @Test
    void thePromiseCountsFromTheFirstReadingAndTheNextLeaseFromTheSecondOne() {
        story.granted("one", "a", 1, 10, 20).valid(30, 90, 100); // until 130 at least
        story.granted("two", "a", 2, 35, 40).valid(100, 130, 5); // at 130 perhaps

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aNanosecondOfOverlapIsAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(30, 90, 100);
        story.granted("two", "a", 2, 35, 40).valid(100, 129, 50);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION);
    }

    @Test
    void aReleaseEndsThePromise() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 100).releaseBegun(50);
        story.granted("two", "a", 2, 52, 55).valid(56, 57, 5);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aLossDoesNotEndThePromise() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 100).lost(50);
        story.granted("two", "a", 2, 52, 55).valid(56, 57, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION);
    }

    @Test
    void aLeaseOfSeveralKeysExcludesThoseOfEachKey() {
        story.granted("one", "a,b", 1, 10, 20).valid(30, 31, 100);
        story.granted("two", "b", 2, 35, 40).valid(50, 51, 5);

        assertThat(story.violations().get(Judge.EXCLUSION))
                .singleElement()
                .asString()
                .startsWith("'b' had two");
    }

    @Test
    void aShortLeaseDoesNotHideTheLongOneBeforeIt() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 1_000);
        story.granted("two", "a", 2, 40, 45).valid(50, 51, 5);
        story.granted("two", "a", 3, 60, 65).valid(70, 71, 5);

        assertThat(story.violations().get(Judge.EXCLUSION)).hasSize(2);
    }

    @Test
    void samplesThatAreNotPositiveProveNothing() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 10).notValid(60, 61);
        story.granted("two", "a", 2, 35, 44).valid(45, 46, 5);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void twoThreadsOfOneProcessExcludeEachOtherToo() {
        story.granted("one", "a", 1, 10, 20).valid(30, 31, 100);
        story.granted("one", "a", 2, 35, 40).valid(50, 51, 5);

        List<String> found = story.violations().get(Judge.EXCLUSION);
        assertThat(found).singleElement().asString().contains("lease 1 of one").contains("lease 2 of one");
    }
}
