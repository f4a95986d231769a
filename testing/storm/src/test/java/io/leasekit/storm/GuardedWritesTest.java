package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GuardedWritesTest {

    private final Story story = Story.endingWell("a").process("one", false).process("two", false);

    @Test
    void aSmallerTokenAfterALargerOneInTheLogIsAViolation() {
        story.granted("one", "a", 1, 10, 20).wrote("one:1", "unknown", 25, 60);
        story.granted("two", "a", 2, 30, 40).wrote("two:1", "accepted", 45, 46);
        story.logged("a", "two:1", 2, "one:1", 1);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void aWriteInOrderWhoseReplyWasLostIsNone() {
        story.granted("one", "a", 1, 10, 20).wrote("one:1", "unknown", 25, 60);
        story.granted("two", "a", 2, 30, 40).wrote("two:1", "accepted", 45, 46);
        story.logged("a", "one:1", 1, "two:1", 2);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aWriteThatWasSentAfterTheReleaseIsAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(21, 22, 100).released(30, 40).wrote("one:1", "accepted", 41, 45);
        story.logged("a", "one:1", 1);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void aReleaseThatMayHaveBeenTheEndOfTheTtlProvesNothing() {
        story.granted("one", "a", 1, 10, 20).valid(21, 22, 10).released(30, 40).wrote("one:1", "accepted", 41, 45);
        story.logged("a", "one:1", 1);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void theReleaseOfALostLeaseProvesNothing() {
        story.granted("one", "a", 1, 10, 20)
                .valid(21, 22, 9)
                .lost(30)
                .released(30, 30)
                .wrote("one:1", "accepted", 31, 45);
        story.logged("a", "one:1", 1);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aWriteThatWasSentAfterTheNextGrantIsAViolation() {
        story.granted("one", "a", 1, 10, 20).wrote("one:1", "accepted", 41, 45);
        story.granted("two", "a", 2, 30, 40);
        story.logged("a", "one:1", 1);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void anAcceptedWriteThatIsNotInTheLogIsAViolation() {
        story.granted("one", "a", 1, 10, 20).wrote("one:1", "accepted", 25, 26);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void aWriteOfATokenThatNobodyWasGrantedIsAViolation() {
        story.logged("a", "one:1", 1);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void aRefusalOfAValidLeaseIsAViolation() {
        story.granted("one", "a", 1, 10, 20).valid(21, 22, 100).wrote("one:1", "stale", 30, 40);

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }

    @Test
    void aRefusalAfterThePromiseIsNone() {
        story.granted("one", "a", 1, 10, 20).valid(21, 22, 15).wrote("one:1", "stale", 30, 40);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aHoleInTheLogIsAViolation() {
        story.granted("one", "a", 1, 10, 20).wrote("one:1", "accepted", 30, 40);
        story.evidence()
                .addEntry(Event.row()
                        .with(Event.KEY, "a")
                        .with("position", 2)
                        .with(Event.TOKEN, 1)
                        .with(Event.ID, "one:1"));

        assertThat(story.violations()).containsOnlyKeys(Judge.WRITES);
    }
}
