package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PermitsTest {

    private static final String[] SLOTS = {"a#permit=0", "a#permit=1", "a#permit=2", "a#permit=3", "b#permit=0"};

    private final Story story = Story.endingWell(SLOTS).process("one", false).process("two", false);

    @Test
    void asManyLeasesAsPermitsMayBeValid() {
        story.permit("one", "a", 0, 1, 10, 20).valid(30, 31, 100);
        story.permit("one", "a", 1, 1, 10, 20).valid(30, 31, 100);
        story.permit("two", "a", 2, 1, 10, 20).valid(30, 31, 100);

        assertThat(story.violations()).isEmpty();
        assertThat(Judge.judge(story.evidence()).permits()).isEqualTo(3);
    }

    @Test
    void oneMoreIsAViolationWhateverItsSlotIs() {
        threeValidFrom31To130();
        story.permit("two", "a", 2, 2, 10, 20).valid(50, 129, 100);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION, Judge.PERMITS);
        assertThat(story.violations().get(Judge.PERMITS))
                .singleElement()
                .asString()
                .startsWith("'a' had 4 valid leases of 3 permits at 129");
    }

    @Test
    void aSlotBeyondThePermitsIsAViolationEvenIfItIsTheOnlyLease() {
        story.permit("two", "a", 3, 2, 10, 20).valid(50, 51, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.PERMITS);
        assertThat(story.violations().get(Judge.PERMITS))
                .singleElement()
                .asString()
                .contains("slot 3 of 3 permits");
    }

    @Test
    void oneMoreLeaseInASlotOfItsOwnIsFoundTwice() {
        threeValidFrom31To130();
        story.permit("two", "a", 3, 2, 10, 20).valid(50, 51, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.PERMITS);
        assertThat(story.violations().get(Judge.PERMITS)).hasSize(2);
    }

    @Test
    void aLeaseAtTheEndOfAnotherOneIsNoViolation() {
        threeValidFrom31To130();
        story.permit("two", "a", 0, 2, 120, 125).valid(126, 130, 10);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void twoLeasesOfOneSlotAreAViolationThoughPermitsAreLeft() {
        story.permit("one", "a", 1, 1, 10, 20).valid(30, 31, 100);
        story.permit("two", "a", 1, 2, 35, 40).valid(50, 51, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION);
        assertThat(story.violations().get(Judge.EXCLUSION))
                .singleElement()
                .asString()
                .startsWith("'a#permit=1' had two");
    }

    @Test
    void tokensGrowInEachSlotAndAreComparedInNoOther() {
        story.permit("one", "a", 0, 7, 10, 20).released(30, 31);
        story.permit("one", "a", 1, 5, 40, 50).released(60, 61);

        assertThat(story.violations()).isEmpty();

        story.permit("two", "a", 0, 6, 40, 50);

        assertThat(story.violations()).containsOnlyKeys(Judge.TOKENS);
    }

    @Test
    void keysHavePermitsOfTheirOwn() {
        threeValidFrom31To130();
        story.permit("two", "b", 0, 2, 10, 20).valid(50, 51, 5);

        assertThat(story.violations()).isEmpty();
    }

    private void threeValidFrom31To130() {
        for (int slot = 0; slot < 3; slot++) {
            story.permit("one", "a", slot, 1, 10, 20).valid(30, 31, 100);
        }
    }
}
