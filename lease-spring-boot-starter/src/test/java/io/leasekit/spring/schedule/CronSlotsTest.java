package io.leasekit.spring.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

class CronSlotsTest {

    private static CronSlots slots(String cron, String zone) {
        return new CronSlots(CronExpression.parse(cron), ZoneId.of(zone));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T12:00:00Z,       2026-11-21T12:00:00Z", // on the slot
        "2026-11-21T11:59:59.999Z,   2026-11-21T12:00:00Z",
        "2026-11-21T12:00:00.001Z,   2026-11-21T12:00:00Z",
        "2026-11-21T12:29:59.999Z,   2026-11-21T12:00:00Z",
        "2026-11-21T12:30:00Z,       2026-11-21T12:00:00Z", // equally near: the earlier one
        "2026-11-21T12:30:00.001Z,   2026-11-21T13:00:00Z",
        "2026-12-31T23:45:00Z,       2027-01-01T00:00:00Z"
    })
    void theNearestSlotOfAnHourlyJob(Instant time, Instant expected) {
        assertThat(slots("@hourly", "UTC").nearest(time)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"2026-11-21T14:59:00Z,  2026-11-21T03:00:00Z", "2026-11-21T15:01:00Z,  2026-11-22T03:00:00Z"})
    void theNearestSlotOfADailyJob(Instant time, Instant expected) {
        assertThat(slots("0 0 3 * * *", "UTC").nearest(time)).isEqualTo(expected);
    }

    @Test
    void slotsThatLieUnevenlyAreFoundOnBothSides() {
        CronSlots slots = slots("*/10 * 3 * * *", "UTC"); // 360 slots in one hour, none in the other 23

        assertThat(slots.nearest(Instant.parse("2026-11-21T12:00:00Z"))).isEqualTo("2026-11-21T03:59:50Z");
        assertThat(slots.nearest(Instant.parse("2026-11-21T23:00:00Z"))).isEqualTo("2026-11-22T03:00:00Z");
        assertThat(slots.nearest(Instant.parse("2026-11-21T03:20:04Z"))).isEqualTo("2026-11-21T03:20:00Z");
    }

    @Test
    void slotsMayBeYearsApart() {
        CronSlots slots = slots("0 0 0 29 2 *", "UTC");

        assertThat(slots.nearest(Instant.parse("2101-01-01T00:00:00Z"))).isEqualTo("2104-02-29T00:00:00Z");
        assertThat(slots.nearest(Instant.parse("2098-01-01T00:00:00Z"))).isEqualTo("2096-02-29T00:00:00Z");
    }

    @Test
    void theZoneDecides() {
        assertThat(slots("0 0 3 * * *", "Asia/Tokyo").nearest(Instant.parse("2026-11-20T17:59:00Z")))
                .isEqualTo("2026-11-20T18:00:00Z");
    }

    /** Whatever a change of the clock does to the times of a trigger, each of them is the slot of its firing. */
    @ParameterizedTest
    @CsvSource({
        "0 30 2 * * *,    Europe/Berlin", // comes twice in October, and not at all in March
        "0 30 2 * * *,    America/New_York",
        "0 0 * * * *,     Europe/Berlin",
        "0 */20 1-3 * * *, Europe/Berlin",
        "0 45 1 * * *,    Australia/Lord_Howe", // the clock changes by half an hour
        "0 0 0 * * *,     America/Santiago", // there is no midnight on the day of the change
        "0 15 3 * * MON-SUN, Pacific/Chatham"
    })
    void eachTimeOfATriggerIsASlot(String cron, String zone) {
        CronTrigger trigger = new CronTrigger(cron, ZoneId.of(zone));
        CronSlots slots = CronSlots.of(trigger, Clock.systemUTC());
        SimpleTriggerContext context = new SimpleTriggerContext(Clock.systemUTC());
        Instant time = Instant.parse("2026-01-01T00:00:00Z");
        while (time.isBefore(Instant.parse("2027-01-01T00:00:00Z"))) {
            context.update(time, time, time);
            time = trigger.nextExecution(context);
            assertThat(slots.nearest(time)).isEqualTo(time);
            assertThat(slots.nearest(time.minusSeconds(5))).isEqualTo(time);
            assertThat(slots.lastUntil(time.plusSeconds(5))).isEqualTo(time);
        }
    }

    @Test
    void anHourThatComesTwiceHasASlotEach() {
        CronSlots slots = slots("0 30 * * * *", "Europe/Berlin"); // the clock goes back at 01:00Z on 25 October 2026

        assertThat(slots.nearest(Instant.parse("2026-10-25T00:31:00Z"))).isEqualTo("2026-10-25T00:30:00Z");
        assertThat(slots.nearest(Instant.parse("2026-10-25T01:29:00Z"))).isEqualTo("2026-10-25T01:30:00Z");
    }

    @Test
    void anHourThatIsLeftOutHasNoSlot() {
        CronSlots slots = slots("0 30 * * * *", "Europe/Berlin"); // the clock goes forward at 01:00Z on 29 March 2026

        assertThat(slots.nearest(Instant.parse("2026-03-29T00:40:00Z"))).isEqualTo("2026-03-29T00:30:00Z");
        assertThat(slots.nearest(Instant.parse("2026-03-29T01:20:00Z"))).isEqualTo("2026-03-29T01:30:00Z");
    }

    /** On 4 April 2026, clocks go back from 02:00 to 01:30 on Lord Howe Island, and from 03:45 to 02:45 in Chatham. */
    @ParameterizedTest
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // an interrupt would not end a loop
    @CsvSource({
        "Australia/Lord_Howe, 2026-04-04T14:00:00Z,  2026-04-04T14:00:00Z", // 01:00
        "Australia/Lord_Howe, 2026-04-04T14:45:00Z,  2026-04-04T14:00:00Z", // equally near
        "Australia/Lord_Howe, 2026-04-04T14:45:01Z,  2026-04-04T15:30:00Z", // 02:00
        "Australia/Lord_Howe, 2026-04-04T15:10:00Z,  2026-04-04T15:30:00Z",
        "Australia/Lord_Howe, 2026-04-04T16:10:00Z,  2026-04-04T16:30:00Z",
        "Pacific/Chatham,     2026-04-04T13:15:01Z,  2026-04-04T13:15:00Z", // 03:00
        "Pacific/Chatham,     2026-04-04T13:50:00Z,  2026-04-04T14:15:00Z", // 03:00 once more
        "Pacific/Chatham,     2026-04-04T15:10:00Z,  2026-04-04T15:15:00Z"
    })
    void aClockMayGoBackWithinAnHour(String zone, Instant time, Instant expected) {
        assertThat(slots("@hourly", zone).nearest(time)).isEqualTo(expected);
    }

    @Test
    void aClockThatGoesBackWithinAnHourMakesNoDistanceOfZero() {
        Instant before = Instant.parse("2026-04-04T10:10:00Z");

        assertThat(slots("@hourly", "Australia/Lord_Howe").shortestDistance(before))
                .isEqualTo(Duration.ofHours(1));
    }

    @Test
    void theNamesOfSlotsAreOfOneWidthAndInTheOrderOfTime() {
        CronSlots slots = slots("0 */10 * * * *", "UTC");

        assertThat(String.valueOf(slots.nearest(Instant.parse("2026-11-21T12:01:02.345678Z"))))
                .isEqualTo("2026-11-21T12:00:00Z");
        assertThat(String.valueOf(slots.nearest(Instant.parse("9999-12-31T00:00:00Z"))))
                .hasSize(20);
    }

    @ParameterizedTest
    @CsvSource({
        "*/10 * * * * *,      PT10S",
        "*/9 * * * * *,       PT6S", // 54, then 0
        "0/5 0 3 * * *,       PT5S",
        "0 0 3 * * *,         PT23H", // the night when the clock goes forward
        "0 0 3 1 * *,         PT672H"
    })
    void theShortestDistanceOfTheNextSlots(String cron, Duration expected) {
        assertThat(slots(cron, "Europe/Berlin").shortestDistance(Instant.parse("2026-02-03T00:00:00Z")))
                .isEqualTo(expected);
    }
}
