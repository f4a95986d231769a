package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.dynamodb.local.Faketime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes of which one leads, while signals stop, end and kill the leaders. The profile {@code long-simulation} has
 * more changes of leader, and wall clocks that jump by two hours at each.
 */
@Tag("full")
class LeadersIT {

    private static final int CHANGES = Integer.getInteger("leasekit.leaders.changes", 10);
    private static final boolean CLOCKS_JUMP = Boolean.getBoolean("leasekit.leaders.jumps");
    private static final Duration JUMP = Duration.ofHours(1);

    private static final int NODES = 3;
    private static final List<String> SIGNALS = List.of("STOP", "TERM", "STOP", "KILL", "STOP");

    private static final Duration TTL = Duration.ofSeconds(2);

    @TempDir
    Path scratch;

    @Test
    void leadershipPassesOnWithoutAnOverlap() throws Exception {
        try (Electorate electorate = new Electorate(TTL, environment())) {
            for (int node = 0; node < NODES; node++) {
                electorate.start();
            }
            electorate.await("writes", event -> true);

            for (int change = 0; change < CHANGES; change++) {
                setClocks(change);
                change(electorate, SIGNALS.get(change % SIGNALS.size()));
            }

            assertThat(electorate.tokens()).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(CHANGES);
            System.out.println(electorate.tokens().size() + " terms, " + electorate.count("lost") + " with a loss, and "
                    + electorate.count("refused") + " writes of former leaders were refused");
        }
    }

    private Map<String, String> environment() throws IOException {
        setClocks(0);
        return CLOCKS_JUMP ? Faketime.find().orElseThrow().setBy(scratch) : Map.of();
    }

    private void setClocks(int change) throws IOException {
        Faketime.set(scratch, change % 2 == 0 ? JUMP : JUMP.negated());
    }

    private static void change(Electorate electorate, String signal) throws Exception {
        if (signal.equals("TERM")) {
            electorate.awaitCampaign(electorate.lastTerm().node());
        }
        Electorate.Event last = electorate.lastTerm();
        last.node().signal(signal);
        // a busy machine may end a term before its signal comes
        Electorate.Event next =
                electorate.await("writes", event -> event.token() > last.token() && event.node() != last.node());
        switch (signal) {
            case "STOP" -> last.node().signal("CONT");
            case "TERM" -> assertNextBeginsAfterTheEnd(electorate, last, next);
            default -> {}
        }
        if (!signal.equals("STOP")) {
            electorate.start();
        }
    }

    private static void assertNextBeginsAfterTheEnd(Electorate electorate, Electorate.Event last, Electorate.Event next)
            throws Exception {
        Electorate.Event end = electorate.await("ends|lost", event -> event.token() == last.token());
        Electorate.Event begin = electorate.await("begins", event -> event.token() == next.token());
        if (end.kind().equals("ends")) { // the lease was valid then
            assertThat(begin.nanos() - end.nanos()).isNotNegative(); // LeaderElectionTest has the exact times
        }
    }
}
