package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RunsTest {

    private final Story story =
            Story.endingWell(Scene.JOB, Scene.GROWING_JOB).process("one", false).process("two", false);

    private Story.Told granted(String process, String key, long token, String run) {
        return story.granted(process, key, token, 10 * token, 10 * token + 1, Map.of(), run);
    }

    @Test
    void aRunThatIsGrantedAgainAfterItWasDoneIsAViolation() {
        granted("one", Scene.JOB, 1, "r1").valid(12, 13, 100).ran(20, 25);
        granted("two", Scene.JOB, 3, "r1");

        assertThat(story.violations()).containsOnlyKeys(Judge.RUNS);
    }

    @Test
    void aRunWhoseRecordMayHaveBeenLostMayBeGrantedAgain() {
        granted("one", Scene.JOB, 1, "r1").valid(12, 13, 5).ran(20, 25);
        granted("two", Scene.JOB, 3, "r1");

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aRunThatWasNotDoneMayBeGrantedAgain() {
        granted("one", Scene.JOB, 1, "r1").valid(12, 13, 100).released(20, 25);
        granted("two", Scene.JOB, 3, "r1");

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void anEarlierRunMayFollowInAnyOrder() {
        granted("one", Scene.JOB, 1, "r2").valid(12, 13, 100).ran(20, 25);
        granted("two", Scene.JOB, 3, "r1");

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void anEarlierRunThatFollowsInGrowingOrderIsAViolation() {
        granted("one", Scene.GROWING_JOB, 1, "r2").valid(12, 13, 100).ran(20, 25);
        granted("two", Scene.GROWING_JOB, 3, "r1");

        assertThat(story.violations()).containsOnlyKeys(Judge.RUNS);
    }

    @Test
    void anAnswerThatARunIsDoneWhichNobodyDidIsAViolation() {
        granted("one", Scene.JOB, 1, "r1").valid(12, 13, 100).released(20, 25);
        story.alreadyRan("two", Scene.JOB, "r1", 30);

        assertThat(story.violations()).containsOnlyKeys(Judge.RUNS);
    }

    @Test
    void anAnswerMayComeFromARunWhoseProcessDiedDuringItsRelease() {
        story.granted("one", Scene.JOB, 1, 10, 11, Map.of(), "r1").ran(20, 999);
        story.alreadyRan("two", Scene.JOB, "r1", 30);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void inGrowingOrderALaterRunExplainsTheAnswer() {
        granted("one", Scene.GROWING_JOB, 1, "r2").valid(12, 13, 100).ran(20, 25);
        story.alreadyRan("two", Scene.GROWING_JOB, "r1", 30);

        assertThat(story.violations()).isEmpty();
    }
}
