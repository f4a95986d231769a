package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LeadersTest {

    private final Story story = Story.endingWell("a").process("one", false).process("two", false);

    @Test
    void termsThatFollowEachOtherAreNoViolation() {
        story.term("one", "a", "one:1", 1, 20, 21)
                .acquired(22)
                .valid(30, 31, 50)
                .leads(32, 33)
                .releaseBegun(60)
                .givenBack(62);
        story.term("two", "a", "two:1", 2, 61, 62)
                .acquired(63)
                .valid(64, 65, 50)
                .leads(66, 67);
        story.leads("one", "a", false, 68, 69);

        assertThat(story.violations()).isEmpty();
        assertThat(Judge.judge(story.evidence()).terms()).isEqualTo(2);
    }

    @Test
    void aTermThatBeginsWhileAnotherOneIsValidIsAViolationWithoutASampleOfItsOwn() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 100);
        story.term("two", "a", "two:1", 2, 40, 129);

        assertThat(found())
                .containsExactly("The work of lease 2 of two began between 40 and 129, while lease 1 of one was valid");
    }

    @Test
    void oneThatBeginsPerhapsAfterTheValidityIsNoViolationThoughTheOtherWorkGoesOn() {
        story.term("one", "a", "one:1", 1, 20, 21)
                .valid(30, 31, 100)
                .notValid(140, 141)
                .releaseBegun(200);
        story.term("two", "a", "two:1", 2, 40, 130);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void oneThatBeganPerhapsBeforeTheFirstProofIsNoViolation() {
        story.term("two", "a", "two:1", 1, 30, 60); // stopped before its first reading, until its lease had expired
        story.term("one", "a", "one:1", 2, 30, 31).valid(30, 31, 100);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void twoElectionsOfOneProcessExcludeEachOtherToo() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 100);
        story.term("one", "a", "one:2", 2, 40, 50);

        assertThat(found()).hasSize(1);
    }

    @Test
    void oneElectionCallsNoWorkBeforeThatOfAnEarlierTermHasReturnedEvenIfItsLeaseHasEnded() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 10).lost(41).releaseBegun(100);
        story.term("one", "a", "one:1", 2, 90, 99);

        assertThat(found())
                .containsExactly(
                        "Election 'one:1' called the work of lease 2 of one at 99, but that of lease 1 of one returned after 100");
    }

    @Test
    void itMayCallItAfterwards() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 10).lost(41).releaseBegun(100);
        story.term("one", "a", "one:1", 2, 100, 101);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aReleaseThatBeginsBeforeTheWorkReturnsIsAViolation() {
        story.term("one", "a", "one:1", 1, 20, 21)
                .valid(30, 31, 10)
                .givenBack(59)
                .releaseBegun(60);

        assertThat(found()).containsExactly("lease 1 of one was given back before 59, but its work returned after 60");
    }

    @Test
    void aReleaseWithoutAReturnIsAViolation() {
        story.term("one", "a", "one:1", 1, 20, 21).givenBack(59);

        assertThat(found()).hasSize(1);
    }

    @Test
    void aReleaseThatWasReportedBeforeTheWorkBeganIsAViolation() {
        Story.Told term = story.term("one", "a", "one:1", 1, 20, 21);
        term.releaseBegun(60);
        story.reportedAsGivenBack("one", "a", 2, 65);
        story.term("one", "a", "one:1", 2, 70, 71).releaseBegun(80);

        assertThat(found()).containsExactly("lease 2 of one was given back before 65, but its work returned after 80");
    }

    @Test
    void workWithoutAGrantIsAViolationUnlessItsProcessWasKilledBeforeTheReport() {
        story.term("one", "a", "one:1", 1, 20, 21).releaseBegun(30).givenBack(31);
        assertThat(story.violations()).isEmpty();

        story.process("one", true);

        assertThat(found()).containsExactly("The work of lease 1 of one ran without a grant");
    }

    @Test
    void theGrantMayBeReportedBeforeTheWorkBegins() {
        story.process("one", true);
        story.reportedAsAcquired("one", "a", 1, 19);
        story.term("one", "a", "one:1", 1, 20, 21).releaseBegun(30).givenBack(31);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void aProcessThatIsSaidToLeadWhileAnotherOneDoesIsAViolation() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 100);
        story.leads("two", "a", true, 31, 129);

        assertThat(found()).containsExactly("two was said to lead between 31 and 129, while lease 1 of one was valid");
    }

    @Test
    void samplesThatSayNoOrPerhapsAtAnotherTimeOrOfAnotherKeyAreNone() {
        story.term("one", "a", "one:1", 1, 20, 21).valid(30, 31, 100).releaseBegun(130);
        story.leads("two", "a", false, 40, 41);
        story.leads("two", "a", true, 30, 40);
        story.leads("two", "a", true, 40, 130);
        story.leads("two", "b", true, 40, 41);
        story.leads("one", "a", true, 40, 41);

        assertThat(story.violations()).isEmpty();
    }

    @Test
    void whoWasToldToStopDoesNotLead() {
        story.term("one", "a", "one:1", 1, 20, 21).told(50).leads(50, 51);
        assertThat(story.violations()).isEmpty();

        story.term("one", "a", "one:2", 2, 120, 121).told(150).leads(151, 152);

        assertThat(found()).containsExactly("lease 2 of one was said to lead at 151, but was told to stop at 150");
    }

    @Test
    void anEarlyReleaseThatLetsAnotherOneInIsAlsoAViolationOfExclusion() {
        story.term("one", "a", "one:1", 1, 20, 21)
                .valid(30, 31, 100)
                .givenBack(50)
                .releaseBegun(90);
        story.term("two", "a", "two:1", 2, 52, 55).valid(56, 57, 5);

        assertThat(story.violations()).containsOnlyKeys(Judge.EXCLUSION, Judge.LEADERS);
        assertThat(story.violations().get(Judge.LEADERS)).hasSize(2);
    }

    private List<String> found() {
        assertThat(story.violations()).containsOnlyKeys(Judge.LEADERS);
        return story.violations().get(Judge.LEADERS);
    }
}
