package io.leasekit.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.engine.TestRules;
import io.leasekit.engine.VirtualMachine;
import io.leasekit.engine.VirtualTime;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds of DynamoDB's time that follow from replies, to the nanosecond (protocol 4.2). */
class BoundedClockTest {

    private static final Instant DATE = VirtualTime.START;
    private static final Duration NANO = Duration.ofNanos(1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final VirtualMachine machine = new VirtualMachine(time);
    private final AtomicInteger jumps = new AtomicInteger();
    private final BoundedClock clock = new BoundedClock(machine, TestRules.right(), jumps::incrementAndGet);

    private void sample(Instant date) {
        long now = machine.nanos();
        clock.sample(now, clock.epoch(), now, date);
    }

    private static long nanos(Instant instant) {
        return instant.getEpochSecond() * EngineTime.SECOND + instant.getNano();
    }

    private void assertInterval(Instant earliest, Instant latest) {
        assertThat(clock.at(machine.nanos())).isEqualTo(new BoundedClock.Interval(nanos(earliest), nanos(latest)));
    }

    @Test
    void knowsNothingBeforeTheFirstReply() {
        assertThat(clock.at(machine.nanos())).isNull();
        assertThat(clock.readingSince(machine.nanos())).isNull();
        assertThat(clock.isFresh(machine.nanos())).isFalse();
    }

    @Test
    void oneReplyBoundsTheTimeByASecondBelowAndTwoAbove() {
        sample(DATE);

        assertInterval(DATE.minusSeconds(1), DATE.plusSeconds(2));
    }

    @Test
    void aSlowReplyBoundsFromItsReceiptBelowAndFromItsSendingAbove() {
        long sent = machine.nanos();
        time.advance(SECOND);
        clock.sample(sent, clock.epoch(), machine.nanos(), DATE);

        // the drift during the second that the request took widens the upper bound only
        assertInterval(DATE.minusSeconds(1), DATE.plusSeconds(3).plusMillis(1));
    }

    @Test
    void boundsMoveWithTheMonotonicClockAndWidenByAThousandth() {
        sample(DATE);

        time.advance(Duration.ofSeconds(10)); // the nanoseconds wrap meanwhile

        assertInterval(DATE.plusSeconds(9).minusMillis(10), DATE.plusSeconds(12).plusMillis(10));
        assertThat(jumps).hasValue(0);
    }

    @Test
    void severalRepliesNarrowIt() {
        sample(DATE);
        time.advance(Duration.ofMillis(900));
        sample(DATE);

        BoundedClock.Interval interval = clock.at(machine.nanos());
        assertThat(interval).isNotNull();
        assertThat(interval.latest() - interval.earliest()).isLessThan(2_200_000_000L);
    }

    @Test
    void twoRepliesAreNeededToAgree() {
        sample(DATE);
        assertThat(clock.readingSince(machine.nanos()).agreed()).isFalse();

        sample(DATE);
        assertThat(clock.readingSince(machine.nanos()).agreed()).isTrue();
    }

    @Test
    void repliesThatJustTouchAgree() {
        sample(DATE.plusSeconds(3));
        sample(DATE);

        assertThat(clock.readingSince(machine.nanos()).agreed()).isTrue();
        assertInterval(DATE.plusSeconds(2), DATE.plusSeconds(2));
    }

    @Test
    void repliesANanosecondApartDisagreeAndWidenToTheirHull() {
        sample(DATE.plusSeconds(3));
        time.advance(NANO);
        sample(DATE);

        assertThat(clock.readingSince(machine.nanos()).agreed()).isFalse();
        assertInterval(DATE.minusSeconds(1), DATE.plusSeconds(5).plusNanos(1));
    }

    @Test
    void repliesThatDisagreedCountForAMinute() {
        sample(DATE.plusSeconds(10));
        for (int second = 0; second < 60; second++) {
            time.advance(SECOND);
            sample(time.now());
        }
        assertThat(clock.readingSince(machine.nanos()).agreed()).isFalse();

        time.advance(SECOND);
        sample(time.now());

        assertThat(clock.readingSince(machine.nanos()).agreed()).isTrue();
    }

    @Test
    void theNewestTwoCountHoweverOldTheyAre() {
        sample(DATE);
        time.advance(Duration.ofHours(1));

        sample(time.now());

        assertThat(clock.readingSince(machine.nanos()).agreed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1000000-01-01T00:00:00Z", "-1000000-01-01T00:00:00Z"})
    void aDateBeyondAllReasonOverflowsNothing(Instant date) {
        sample(DATE);
        sample(date);

        BoundedClock.Reading reading = clock.readingSince(machine.nanos());
        assertThat(reading.agreed()).isFalse();
        assertThat(reading.earliest()).isLessThan(reading.latest());
        assertThat(clock.contradicts(reading, machine.nanos(), machine.nanos(), date))
                .isFalse();
    }

    @Test
    void isFreshForTenMinutes() {
        sample(DATE);

        time.advance(Duration.ofMinutes(10).minus(NANO));
        assertThat(clock.isFresh(machine.nanos())).isTrue();
        time.advance(NANO);
        assertThat(clock.isFresh(machine.nanos())).isTrue();
        time.advance(NANO);
        assertThat(clock.isFresh(machine.nanos())).isFalse();
    }

    @Test
    void aReplyThatTookLongerThanFiveSecondsTellsNothing() {
        long sent = machine.nanos();
        time.advance(Duration.ofSeconds(5).plus(NANO));
        clock.sample(sent, clock.epoch(), machine.nanos(), time.now());
        assertThat(clock.at(machine.nanos())).isNull();

        clock.sample(sent + 1, clock.epoch(), machine.nanos(), time.now());
        assertThat(clock.at(machine.nanos())).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {100, -100})
    void aWallClockThatMovesByATenthOfASecondIsNoJump(long millis) {
        sample(DATE);

        machine.jumpWallClock(Duration.ofMillis(millis));

        clock.now();
        assertThat(jumps).hasValue(0);
        assertThat(clock.at(machine.nanos())).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {101, -101, 3_600_000, -3_600_000})
    void aWallClockThatMovesByMoreIsAJumpAndAllRepliesAreForgotten(long millis) {
        sample(DATE);

        machine.jumpWallClock(Duration.ofMillis(millis));

        clock.now();
        assertThat(jumps).hasValue(1);
        assertThat(clock.at(machine.nanos())).isNull();
        clock.now();
        assertThat(jumps).as("reported once").hasValue(1);
    }

    @Test
    void aWallClockThatIsSetRightBitByBitDoesNotJump() {
        for (int millis = 0; millis < 1_000; millis++) {
            machine.jumpWallClock(Duration.ofMillis(1)); // each reading differs by a millisecond only
            clock.now();
        }

        assertThat(jumps).hasValue(0);
    }

    @Test
    void aReplyBoundsTheTimeForAMinuteTogetherWithTheOthers() {
        sample(DATE);
        for (int second = 1; second <= 60; second++) {
            time.advance(SECOND);
            sample(DATE.plusSeconds(second + 1)); // agrees with the first sample, whose upper bound is lower
        }
        assertThat(clock.at(machine.nanos()).latest()).isLessThan(nanos(DATE.plusSeconds(60 + 3)));

        time.advance(SECOND);
        sample(DATE.plusSeconds(61 + 1));
        assertThat(clock.at(machine.nanos()).latest()).isEqualTo(nanos(DATE.plusSeconds(61 + 3)));
    }

    @Test
    void aSuspendIsAJump() {
        sample(DATE);

        machine.suspend(Duration.ofSeconds(1));

        clock.now();
        assertThat(jumps).hasValue(1);
    }

    @Test
    void theWrapOfTheNanosecondsIsNoJump() {
        for (int second = 0; second < 5; second++) {
            clock.now();
            time.advance(SECOND);
        }

        assertThat(machine.nanos()).isNegative();
        assertThat(jumps).hasValue(0);
    }

    @Test
    void aReplyWhoseRequestWasSentBeforeAJumpTellsNothing() {
        int epoch = clock.epoch();
        long sent = machine.nanos();
        machine.suspend(SECOND);
        clock.now();

        clock.sample(sent, epoch, machine.nanos(), DATE);

        assertThat(clock.at(machine.nanos())).isNull();
    }

    @Test
    void aReplyContradictsAWriteWhoseClockItsOwnDateIsOutsideOf() {
        sample(DATE);
        BoundedClock.Reading write = clock.readingSince(machine.nanos());
        long now = machine.nanos();

        // the write's interval ends 2 s after DATE, the reply's begins 1 s before its own date; mirrored below DATE
        assertThat(clock.contradicts(write, now, now, DATE.plusSeconds(3))).isFalse();
        assertThat(clock.contradicts(write, now, now, DATE.plusSeconds(4))).isTrue();
        assertThat(clock.contradicts(write, now, now, DATE.minusSeconds(3))).isFalse();
        assertThat(clock.contradicts(write, now, now, DATE.minusSeconds(4))).isTrue();
    }
}
