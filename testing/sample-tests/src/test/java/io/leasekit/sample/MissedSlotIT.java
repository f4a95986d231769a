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

    private final NodeTable table = new NodeTable();

    @AfterEach
    void endNodes() {
        table.close();
    }

    private NodeProcess node(String cron) throws IOException {
        return table.start(
                "sample.report.cron=" + cron,
                "sample.report.catch-up=2h",
                "logging.level.io.leasekit.spring.schedule=DEBUG");
    }

    /** The job fires at two times of each hour. The only node is killed after the first one. */
    @Test
    void aSlotAtWhichEveryNodeWasDownIsRunOnceByThoseThatStartAfterIt() throws IOException {
        ZonedDateTime first =
                ZonedDateTime.now(ZoneId.systemDefault()).plusSeconds(100).truncatedTo(ChronoUnit.MINUTES);
        Instant missed = first.plusMinutes(1).toInstant();
        String cron = "0 " + first.getMinute() + "," + first.plusMinutes(1).getMinute() + " * * * *";
        NodeProcess before = node(cron);
        before.await(PATIENCE, "Report of " + first.toInstant() + " made");
        Awaitility.await("end of the run")
                .atMost(PATIENCE)
                .until(() -> table.find("report").lastRun() != null);
        before.close();
        assertThat(Instant.now()).as("no node is up at %s", missed).isBefore(missed);
        Awaitility.await("time " + missed)
                .atMost(PATIENCE)
                .until(() -> Instant.now().isAfter(missed.plusSeconds(3))); // also by DynamoDB's time

        NodeProcess one = node(cron);
        NodeProcess two = node(cron);
        String fired = "late for " + missed + ": the table shows no run";
        String done = "Slot " + missed + " of '" + ReportJob.class.getName() + ".make' is not caught up: it is done";
        Awaitility.await("decisions of\n" + one + "\nand " + two)
                .atMost(PATIENCE)
                .until(() -> (one.logs(fired) || one.logs(done)) && (two.logs(fired) || two.logs(done)));
        Awaitility.await("run of\n" + one + "\nand " + two)
                .atMost(PATIENCE)
                .until(() -> missed.toString().equals(table.find("report").lastRun().name()));

        assertThat(both(one, two, "Report of " + missed + " made"))
                .as("runs of\n%s\nand %s", one, two)
                .hasSize(1);
    }
}
