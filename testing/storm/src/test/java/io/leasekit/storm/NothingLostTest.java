package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NothingLostTest {

    private final Story story = Story.endingWell("a");

    @Test
    void aLeaseThatNeitherEndedNorDiedWithItsProcessIsAViolation() {
        story.process("one", true).granted("one", "a", 1, 10, 20);

        assertThat(story.violations()).containsOnlyKeys(Judge.NOTHING_LOST);
    }

    @Test
    void aLeaseEndsByItsLossItsReleaseOrTheDeathOfItsProcess() {
        story.process("one", true).process("dead", false);
        story.granted("one", "a", 1, 10, 20).lost(25);
        story.granted("one", "a", 2, 30, 40).released(45, 46);
        story.granted("dead", "a", 3, 50, 60);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aLeaseThatIsTakenBeforeItsPromisedEndIsAViolation() {
        story.process("one", false)
                .granted("one", "a", 1, 10, 20)
                .valid(21, 22, 10)
                .taken(30);

        assertThat(story.violations()).containsOnlyKeys(Judge.NOTHING_LOST);
    }

    @Test
    void aLeaseMayExpireEarlyAsAfterAReplyWithAWrongDate() {
        story.process("one", false)
                .granted("one", "a", 1, 10, 20)
                .valid(21, 22, 10)
                .lost(30);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aLeaseMayBeTakenAtItsPromisedEndOrAfterItsReleaseBegan() {
        story.process("one", false);
        story.granted("one", "a", 1, 10, 20).valid(21, 22, 10).taken(31);
        story.granted("one", "a", 2, 40, 50).valid(51, 52, 10).releaseBegun(55).taken(56);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aKeyThatTheLastProcessDidNotGetIsAViolation() {
        story.process("one", true).attempt("one", "b");

        assertThat(story.violations().get(Judge.NOTHING_LOST))
                .singleElement()
                .asString()
                .startsWith("'b'");
    }

    @Test
    void anItemThatIsStillHeldIsAViolation() {
        story.item("a", 1_000_000, false);

        assertThat(story.violations()).containsOnlyKeys(Judge.NOTHING_LOST);
    }

    @Test
    void anUnexpectedErrorIsAViolation() {
        story.process("one", true).unexpected("one", "java.lang.NullPointerException");

        assertThat(story.violations()).containsOnlyKeys(Judge.NOTHING_LOST);
    }
}
