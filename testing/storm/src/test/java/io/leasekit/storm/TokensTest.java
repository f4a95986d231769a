package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokensTest {

    private final Story story = Story.endingWell("a").process("one", false).process("two", false);

    @Test
    void aSmallerTokenOfALaterCallIsAViolation() {
        story.granted("one", "a", 7, 10, 20);
        story.granted("two", "a", 6, 21, 30);

        assertThat(story.violations()).containsOnlyKeys(Judge.TOKENS);
    }

    @Test
    void callsThatOverlapMayBeGrantedInEitherOrder() {
        story.granted("one", "a", 7, 10, 20);
        story.granted("two", "a", 6, 20, 30);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void oneTokenForTwoLeasesIsAViolation() {
        story.granted("one", "a", 7, 10, 20);
        story.granted("two", "a", 7, 15, 30);

        assertThat(story.violations()).containsOnlyKeys(Judge.TOKENS);
    }

    @Test
    void leasesOfDifferentKeysMayHaveOneToken() {
        Story both = Story.endingWell("a", "b").process("one", false);
        both.granted("one", "a", 7, 10, 20);
        both.granted("one", "b", 7, 21, 30);

        assertThat(both.violations()).isEmpty();
    }

    @Test
    void theLargestOfAllEarlierTokensCounts() {
        story.granted("one", "a", 9, 10, 20);
        story.granted("two", "a", 5, 11, 21);
        story.granted("two", "a", 8, 30, 40);

        assertThat(story.violations().get(Judge.TOKENS))
                .singleElement()
                .asString()
                .contains("token 9");
    }

    @Test
    void anItemThatForgotATokenIsAViolation() {
        story.granted("one", "a", 7, 10, 20);
        story.item("a", 999_999, true);

        assertThat(story.violations()).containsOnlyKeys(Judge.TOKENS);
    }
}
