package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Processes that contend for one lease in virtual time: shares, waiting times and numbers of requests. */
class TakingTurnsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration WORK = Duration.ofMillis(5);

    private final Bench bench = new Bench();
    private final SplittableRandom random = new SplittableRandom(7);
    private final List<Section> sections = new ArrayList<>();
    private final List<Contender> contenders = new ArrayList<>();
    private int working;

    private record Section(int who, long asked, long begun, long released) {}

    /** Repeatedly acquires the lease, works and releases it, until stopped. */
    private final class Contender {
        private final int who = contenders.size();
        private final Bench.Node node = bench.start("node-" + who);
        private final Duration work;
        private boolean stopped;

        Contender(Duration work, Duration roundTrip) {
            this.work = work;
            node.sample(2);
            node.store.always(request ->
                    bench.time.schedule(roundTrip.toNanos() * (90 + random.nextInt(40)) / 100, request::deliver));
        }

        void ask() {
            long asked = bench.time.elapsed();
            node.leases
                    .acquireAsync(LeaseRequest.of("key").waitFor(MINUTE.multipliedBy(60)))
                    .thenAccept(lease -> hold(asked, lease.orElseThrow()));
        }

        private void hold(long asked, Lease lease) {
            long begun = bench.time.elapsed();
            assertThat(++working).as("contenders at work").isEqualTo(1);
            bench.time.schedule(work.toNanos(), () -> {
                working--;
                lease.releaseAsync().thenRun(() -> {
                    sections.add(new Section(who, asked, begun, bench.time.elapsed()));
                    if (!stopped) {
                        ask();
                    }
                });
            });
        }

        long requests() {
            return node.store.verbs().size();
        }
    }

    private void start(int count, Duration work, Duration roundTrip) {
        for (int i = 0; i < count; i++) {
            contenders.add(new Contender(work, roundTrip));
        }
        contenders.forEach(contender -> bench.time.schedule(random.nextInt(20_000_000), contender::ask));
    }

    private double requestsASection(Duration duration) {
        contenders.forEach(Contender::requests);
        sections.clear();
        bench.advance(duration);
        return contenders.stream().mapToLong(Contender::requests).sum() / (double) sections.size();
    }

    private static long millisAt(double share, long[] nanos) {
        Arrays.sort(nanos);
        return nanos[(int) (share * (nanos.length - 1))] / 1_000_000;
    }

    private long waitMillisAt(double share) {
        return millisAt(
                share, sections.stream().mapToLong(s -> s.begun - s.asked).toArray());
    }

    /** Returns the median time from the reply to a release until the grant of another process. */
    private long medianGapMillis() {
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < sections.size(); i++) {
            if (sections.get(i).who != sections.get(i - 1).who) {
                gaps.add(sections.get(i).begun - sections.get(i - 1).released);
            }
        }
        return millisAt(0.5, gaps.stream().mapToLong(Long::longValue).toArray());
    }

    private long sectionsOf(int who) {
        return sections.stream().filter(section -> section.who == who).count();
    }

    private void assertFair() {
        long[] shares = contenders.stream().mapToLong(p -> sectionsOf(p.who)).toArray();
        Arrays.sort(shares);
        assertThat(shares[shares.length - 1])
                .as("shares %s", Arrays.toString(shares))
                .isLessThanOrEqualTo(2 * shares[0]);
    }

    @Test
    void eightProcessesGetItSoonInEqualSharesForFewRequests() {
        start(8, WORK, Duration.ofMillis(10));

        assertThat(requestsASection(MINUTE)).isLessThan(3.5);
        assertThat(waitMillisAt(0.99)).isLessThan(1_000);
        assertThat(medianGapMillis()).isLessThan(30);
        assertFair();
    }

    @Test
    void twoProcessesTakeItInTurn() {
        start(2, WORK, Duration.ofMillis(10));

        assertThat(requestsASection(MINUTE)).isLessThan(4);
        assertThat(waitMillisAt(0.99)).isLessThan(1_000);
        assertFair();
    }

    @Test
    void fourTimesTheProcessesCostHardlyMoreForEachSection() {
        start(32, WORK, Duration.ofMillis(10));

        assertThat(requestsASection(MINUTE)).isLessThan(5);
        assertFair();
    }

    @Test
    void theFormHoldsForOtherRoundTrips() {
        start(8, WORK, Duration.ofMillis(40));

        assertThat(requestsASection(MINUTE.multipliedBy(4))).isLessThan(3.5);
        assertThat(waitMillisAt(0.99)).isLessThan(4_000);
        assertFair();
    }

    @Test
    void longWorkIsLookedForLessOften() {
        start(8, Duration.ofSeconds(1), Duration.ofMillis(10));

        bench.advance(MINUTE);
        assertThat(requestsASection(MINUTE.multipliedBy(8))).isLessThan(30);
        assertThat(medianGapMillis()).isLessThan(100);
        assertFair();
    }

    @Test
    void whoIsAloneAsksAtOnceAndPaysTwoRequests() {
        start(1, WORK, Duration.ofMillis(10));

        assertThat(requestsASection(MINUTE)).isBetween(1.99, 2.01);
        assertThat(waitMillisAt(1)).isLessThan(30);
    }

    @Test
    void whoIsLeftAloneAsksAtOnceAgain() {
        start(8, WORK, Duration.ofMillis(10));
        bench.advance(MINUTE);

        contenders.subList(1, 8).forEach(contender -> contender.stopped = true);
        bench.advance(Duration.ofSeconds(5));

        assertThat(requestsASection(MINUTE)).isBetween(1.99, 2.01);
        assertThat(waitMillisAt(1)).isLessThan(30);
    }

    @Test
    void whoComesToAHolderThatAsksAgainAtOnceGetsItsTurn() {
        start(2, WORK, Duration.ofMillis(10));
        Contender second = contenders.get(1);
        second.stopped = true; // asks once
        Predicate<Section> isSecond = section -> section.who == second.who;

        bench.advance(Duration.ofSeconds(2));

        assertThat(sections).anyMatch(isSecond);
    }
}
