package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.broken;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.LeaderElection;
import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.event.KeyValuePair;

/**
 * All lines above DEBUG of a shop: jobs on two nodes and a leader, for an hour of virtual time by default, with an outage of
 * a minute, a node that is killed, and one that is stopped. Each fact is logged once, and nothing that is not so. For longer:
 * {@code -Dleasekit.shop.hours=24}.
 */
class ShopLogTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long SECONDS = 3_600L * Integer.getInteger("leasekit.shop.hours", 1);

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();

    /** A node with a job a minute, of some seconds, a job that waits for its turn, and a candidate. */
    private final class Shop {

        private final Leaders leaders = new Leaders();
        private final Bench.Node node;
        private final LeaderElection election;
        private final List<Running> running = new ArrayList<>();

        private record Running(Lease lease, long until) {}

        Shop(String owner) {
            node = bench.start(owner, builder -> builder.application("shop"));
            election = node.leases.elect(LeaseRequest.of("ingest"), leaders.settings(), lease -> {});
        }

        void second(long now) {
            if (election.stoppingFor().isPresent()) {
                leaders.runNext(); // the work has waited for its thread since its grant, and ends now
            }
            running.removeIf(run -> {
                boolean over = now >= run.until;
                if (over) {
                    run.lease.recordRun(LeaseRunOutcome.SUCCEEDED);
                    run.lease.releaseAsync();
                }
                return over;
            });
            if (now % 60 == 5) {
                start(LeaseRequest.of("reports"), now + 20);
                start(LeaseRequest.of("clean-up"), now + 3);
            }
        }

        private void start(LeaseRequest job, long until) {
            node.leases
                    .acquireAsync(job)
                    .thenAccept(lease -> lease.ifPresent(one -> running.add(new Running(one, until))));
        }

        List<String> keys() {
            List<String> keys =
                    new ArrayList<>(running.stream().map(run -> run.lease.key()).toList());
            if (election.isLeader()) {
                keys.add("ingest");
            }
            return keys;
        }
    }

    private void run(long from, long to, Shop... shops) {
        for (long now = from; now < to; now++) {
            for (Shop shop : shops) {
                shop.second(now);
            }
            bench.advance(SECOND);
        }
    }

    /** Returns the lines since the last call, without those of the dead node: its manager lives on without a table. */
    private List<String> newLines(String dead) {
        List<String> lines = logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .filter(line -> dead.isEmpty() || !isOf(line, dead))
                .map(line -> line.getLevel() + " " + line.getFormattedMessage())
                .toList();
        logged.list.clear();
        return lines;
    }

    private static boolean isOf(ILoggingEvent line, String dead) {
        List<KeyValuePair> pairs = line.getKeyValuePairs() == null ? List.of() : line.getKeyValuePairs();
        return pairs.stream().anyMatch(pair -> pair.key.equals("owner") && dead.equals(pair.value))
                || line.getFormattedMessage().contains(" have failed for ");
    }

    @Test
    void eachFactIsLoggedOnceAndNothingElse() {
        Shop a = new Shop("a");
        Shop b = new Shop("b");
        run(0, SECONDS / 3, a, b);
        assertThat(newLines("")).as("while all goes well").isEmpty();

        long outage = SECONDS / 3 + 10; // within the jobs
        run(SECONDS / 3, outage, a, b);
        List<String> held =
                Stream.of(a, b).flatMap(shop -> shop.keys().stream()).sorted().toList();
        assertThat(held).containsExactly("ingest", "reports"); // the other job has ended
        a.node.store.always(broken("Connection refused"));
        b.node.store.always(broken("Connection refused"));
        run(outage, outage + 60, a, b);
        a.node.store.heal();
        b.node.store.heal();
        run(outage + 60, 2 * SECONDS / 3, a, b);
        assertOutage(newLines(""), held);

        long kill = 2 * SECONDS / 3 + 7;
        run(2 * SECONDS / 3, kill, a, b);
        Shop dead = a.keys().contains("reports") ? a : b;
        Shop alive = dead == a ? b : a;
        List<String> taken = dead.keys();
        dead.node.store.always(LOST);
        run(kill, kill + 120, alive);
        String owner = dead.node.leases.status().owner();
        assertThat(newLines(owner))
                .hasSameSizeAs(taken)
                .allMatch(
                        line -> line.matches("INFO Lease '(" + String.join("|", taken) + ")' \\(token \\d+\\) was taken"
                                + " over from owner '" + owner
                                + "' of application 'shop', held since \\S+, token \\d+, which has"
                                + " neither renewed nor released it in time"))
                .doesNotHaveDuplicates();

        run(kill + 120, SECONDS, alive);
        assertThat(newLines(owner)).as("while all goes well again").isEmpty();
        CompletableFuture<Void> closed = alive.node.leases.closeAsync().toCompletableFuture();
        run(SECONDS, SECONDS + 30, alive);
        assertThat(closed).isCompleted();
        assertThat(newLines(owner)).as("a stop in order").isEmpty();
    }

    private static void assertOutage(List<String> lines, List<String> held) {
        assertThat(lines).doesNotHaveDuplicates();
        assertThat(count(lines, "WARN Requests to table 'scripted' have failed for .*: Connection refused\\. .*"))
                .isBetween(1L, 4L); // each node once, and again after a minute
        assertThat(count(lines, "WARN Lease 'reports' was lost: EXPIRED, held for .*"))
                .isOne();
        assertThat(count(lines, "WARN Lease 'ingest' was lost.*"))
                .as("its work ended in time")
                .isZero();
        for (String key : held) {
            assertThat(count(lines, "INFO Lease '" + key + "' .* was taken over from owner '[ab]' .*"))
                    .as(key)
                    .isLessThanOrEqualTo(1); // by the other node
        }
        assertThat(count(lines, "INFO Requests to table 'scripted' succeed again after .*"))
                .isBetween(1L, 2L);
        // the other candidate asks for one key only, so for it this is no outage of the table at first
        long unseen = count(lines, "WARN No leader of 'ingest' has been seen for .*: Connection refused");
        assertThat(unseen).isLessThanOrEqualTo(1);
        assertThat(count(lines, "INFO A leader of 'ingest' is seen again after .*: owner '[ab]'"))
                .isLessThanOrEqualTo(unseen);
        assertThat(lines)
                .filteredOn(line -> !line.contains("eader of 'ingest'"))
                .filteredOn(
                        line -> !line.matches("(WARN Requests to table|WARN Lease '.*' was lost|INFO Requests to table"
                                + "|INFO Lease '.*' .* was taken over).*"))
                .isEmpty();
    }

    private static long count(List<String> lines, String pattern) {
        return lines.stream().filter(line -> line.matches(pattern)).count();
    }
}
