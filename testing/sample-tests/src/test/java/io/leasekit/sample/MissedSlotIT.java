package io.leasekit.sample;

import static io.leasekit.sample.TwoNodesIT.both;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes in separate processes, none of which is up at a time of their job. */
@Tag("full")
class MissedSlotIT {

    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration LEAD = Duration.ofSeconds(45);

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    /** Two times of one expression, which are a minute apart. The next ones are an hour away. */
    private record Times(Instant first, Instant missed, String cron) {

        static Times after(Duration lead) {
            ZonedDateTime first = ZonedDateTime.now(ZoneId.systemDefault())
                    .plus(lead)
                    .plusMinutes(1)
                    .truncatedTo(ChronoUnit.MINUTES);
            ZonedDateTime missed = first.plusMinutes(1);
            return new Times(
                    first.toInstant(),
                    missed.toInstant(),
                    "0 " + first.getMinute() + "," + missed.getMinute() + " * * * *");
        }

        void awaitMissed() {
            Awaitility.await("time " + missed)
                    .atMost(PATIENCE)
                    .until(() -> Instant.now().isAfter(missed.plusSeconds(3))); // also by DynamoDB's time
        }

        String runOf(Instant slot) {
            return "Report of " + slot + " made";
        }
    }

    private NodeProcess node(Times times, String catchUp) throws IOException {
        return table.start(
                "sample.report.cron=" + times.cron,
                "sample.report.catch-up=" + catchUp,
                "logging.level.io.leasekit.spring.schedule=DEBUG");
    }

    /** A node that has started before the first of its times. */
    private record Started(Times times, NodeProcess node) {}

    /** Starts a node. If it takes longer to start than this, it is started again with more time. */
    private Started start(Duration lead, String catchUp) throws IOException {
        Times times = Times.after(lead);
        NodeProcess node = node(times, catchUp).awaitStart();
        if (Instant.now().isBefore(times.first.minusSeconds(3))) {
            return new Started(times, node);
        }
        node.close();
        return start(lead.multipliedBy(2), catchUp);
    }

    @Test
    void aSlotAtWhichEveryNodeWasDownIsRunOnceByThoseThatStartAfterIt() throws IOException {
        Started started = start(LEAD, "2h");
        Times times = started.times;
        NodeProcess before = started.node;
        before.await(PATIENCE, times.runOf(times.first));
        Awaitility.await("end of the run")
                .atMost(PATIENCE)
                .until(() -> table.find("report").lastRun() != null);
        before.close();
        assertThat(Instant.now()).as("no node is up at %s", times.missed).isBefore(times.missed);
        times.awaitMissed();

        NodeProcess one = node(times, "2h");
        NodeProcess two = node(times, "2h");
        String fired = "late for " + times.missed + ": the table shows no run";
        String done =
                "Slot " + times.missed + " of '" + ReportJob.class.getName() + ".make' is not caught up: it is done";
        Awaitility.await("decisions of\n" + one + "\nand " + two)
                .atMost(PATIENCE)
                .until(() -> (one.logs(fired) || one.logs(done)) && (two.logs(fired) || two.logs(done)));
        Awaitility.await("run of\n" + one + "\nand " + two)
                .atMost(PATIENCE)
                .until(() -> times.missed
                        .toString()
                        .equals(table.find("report").lastRun().name()));

        assertThat(both(one, two, times.runOf(times.missed)))
                .as("runs of\n%s\nand %s", one, two)
                .hasSize(1);
    }

    /** Spring's trigger fires late, and the slot of that firing is the newest that is due. */
    @Test
    void afterASuspendTheNewestSlotIsRunWithoutACatchUp() throws IOException {
        Started started = start(LEAD, "");
        Times times = started.times;
        NodeProcess node = started.node;
        node.signal("STOP");
        times.awaitMissed();
        node.signal("CONT");

        node.await(PATIENCE, times.runOf(times.missed));

        assertThat(node.lines("Report of ")).as(node.toString()).hasSize(1);
    }
}
