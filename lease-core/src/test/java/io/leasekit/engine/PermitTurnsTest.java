package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processes that want permits of one key again and again (protocol 6.6): nobody waits long, and looks are few. */
@Tag("full")
class PermitTurnsTest {

    private static final Logger log = LoggerFactory.getLogger(PermitTurnsTest.class);

    private static final int SECONDS = 60;
    private static final int LONG = 240; // for sections of which there are few
    private static final int SHORT = 15; // for thousands of sections a second

    private final VirtualTime time = new VirtualTime();
    private final SlowTable table = new SlowTable(time, 1_000_000); // so each request takes 10 ms
    private final List<Long> waits = new ArrayList<>();
    private int[] sections;
    private int inside;
    private int most;
    private boolean keeps; // each lease that is granted

    private void run(int processes, int callers, int permits) {
        run(processes, callers, permits, Duration.ofMillis(5), SECONDS);
    }

    private void run(int processes, int callers, int permits, Duration section, int seconds) {
        sections = new int[processes];
        for (int i = 0; i < processes; i++) {
            LeaseManager leases = manager(i);
            int process = i;
            for (int caller = 0; caller < callers; caller++) {
                time.schedule(caller * EngineTime.MILLI, () -> next(process, leases, permits, section.toNanos()));
            }
        }
        time.advance(Duration.ofSeconds(seconds));
        Arrays.sort(sections);
        waits.sort(null);
        log.info(
                "{} processes with {} callers, {} permits: {} sections a second, {} to {} by process, waits p50 {} ms, p99 {} ms,"
                        + " most {} ms, {} requests a section, most inside {}",
                processes,
                callers,
                permits,
                total() / seconds,
                sections[0],
                sections[processes - 1],
                percentile(50),
                percentile(99),
                percentile(100),
                requestsPerSection(),
                most);
    }

    private LeaseManager manager(int process) {
        return new EngineBuilder(table)
                .owner("process-" + process)
                .time(time)
                .random(new SplittableRandom(process))
                .sender(this::soon)
                .callbackExecutor(this::soon)
                .losses(this::soon)
                .build();
    }

    private void soon(Runnable task) {
        time.schedule(0, task);
    }

    private void next(int process, LeaseManager leases, int permits, long work) {
        long asked = time.elapsed();
        leases.acquireAsync(LeaseRequest.of("key").permits(permits).waitFor(Duration.ofHours(1)))
                .thenAccept(lease -> {
                    waits.add(time.elapsed() - asked);
                    inside++;
                    most = Math.max(most, inside);
                    if (keeps) {
                        return;
                    }
                    time.schedule(work, () -> {
                        inside--;
                        sections[process]++;
                        lease.orElseThrow().releaseAsync().thenRun(() -> next(process, leases, permits, work));
                    });
                });
    }

    private int total() {
        return Arrays.stream(sections).sum();
    }

    private long percentile(int percent) {
        return waits.get((waits.size() - 1) * percent / 100) / EngineTime.MILLI;
    }

    private double requestsPerSection() {
        return Math.round(100.0 * table.requests() / total()) / 100.0;
    }

    @Test
    void eightProcessesForThreePermits() {
        run(8, 1, 3);

        assertThat(most).isEqualTo(3);
        assertThat(total()).isGreaterThan(105 * SECONDS); // a slot could have 40 turns a second
        assertThat(sections[0]).isGreaterThan(sections[sections.length - 1] / 2);
        assertThat(percentile(99)).isLessThan(500);
        assertThat(requestsPerSection()).isLessThan(3.6);
    }

    /** ShedLock has no permits: a lock for each slot, all tried one after the other, and again after 100 ms. */
    @Test
    void eightProcessesCompleteAsManySectionsAsByAPollOfOneLockForEachPermit() {
        run(8, 1, 3);
        int ours = total();
        double ourRequests = requestsPerSection();

        Poll poll = new Poll(8, 3);
        time.advance(Duration.ofSeconds(SECONDS));

        log.info(
                "Poll of one lock for each permit: {} sections a second, {} requests a section",
                poll.sections / SECONDS,
                poll.requests / poll.sections);
        assertThat(ours).isGreaterThan(poll.sections * 95 / 100);
        assertThat(ourRequests).isLessThan(1.05 * poll.requests / poll.sections);
    }

    /** Processes that poll locks, each request of which takes 10 ms. */
    private final class Poll {

        private static final long HALF_A_TRIP = 5 * EngineTime.MILLI;
        private static final long WORK = 5 * EngineTime.MILLI;
        private static final long PAUSE = 100 * EngineTime.MILLI;

        private final SplittableRandom random = new SplittableRandom(1);
        private final boolean[] locked;
        private int sections;
        private double requests;

        Poll(int processes, int permits) {
            locked = new boolean[permits];
            for (int i = 0; i < processes; i++) {
                time.schedule(i * EngineTime.MILLI, this::begin);
            }
        }

        private void begin() {
            attempt(random.nextInt(locked.length), 0);
        }

        private void attempt(int first, int tried) {
            int slot = (first + tried) % locked.length;
            requests++;
            time.schedule(HALF_A_TRIP, () -> {
                boolean granted = !locked[slot];
                locked[slot] = true;
                time.schedule(HALF_A_TRIP, () -> onReply(granted, slot, first, tried + 1));
            });
        }

        private void onReply(boolean granted, int slot, int first, int tried) {
            if (granted) {
                time.schedule(WORK, () -> release(slot));
            } else if (tried < locked.length) {
                attempt(first, tried);
            } else {
                time.schedule(PAUSE, this::begin);
            }
        }

        private void release(int slot) {
            sections++;
            requests++;
            time.schedule(HALF_A_TRIP, () -> {
                locked[slot] = false;
                time.schedule(HALF_A_TRIP, this::begin);
            });
        }
    }

    @Test
    void manyCallersForManyPermits() {
        run(8, 25, 100, Duration.ofMillis(5), SHORT);

        assertThat(most).isLessThanOrEqualTo(100);
        assertThat(sections[0]).isGreaterThan(sections[sections.length - 1] / 2);
        assertThat(percentile(99)).isLessThan(500);
        assertThat(requestsPerSection()).isLessThan(2);
    }

    @Test
    void longSectionsAreWaitedForByLooks() {
        run(8, 1, 3, Duration.ofMillis(500), LONG);

        assertThat(most).isEqualTo(3);
        assertThat(total()).isGreaterThan(4 * LONG); // 3 slots could have 5.7 turns a second
        assertThat(sections[0]).isGreaterThan(sections[sections.length - 1] / 2);
    }

    /** After quick turns, two processes keep the permits. Those that wait look once a second, and ask for nothing. */
    @Test
    void permitsThatAreKeptAfterQuickTurnsCostAFewLooks() {
        int processes = 3;
        sections = new int[processes];
        List<LeaseManager> managers = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            managers.add(manager(i));
        }
        for (int i = 0; i < processes; i++) {
            next(i, managers.get(i), 2, Duration.ofMillis(5).toNanos());
        }
        time.advance(Duration.ofSeconds(10));
        keeps = true;
        time.advance(Duration.ofSeconds(10));
        int before = table.requests();

        time.advance(Duration.ofSeconds(20));

        assertThat(table.requests() - before).isLessThan(60); // renewals included
    }

    @Test
    void aProcessThatIsAloneAgainAsksAtOnce() {
        sections = new int[2];
        LeaseManager here = manager(0);
        LeaseManager others = manager(1);
        for (int caller = 0; caller < 6; caller++) {
            next(1, others, 3, Duration.ofMillis(500).toNanos());
        }
        next(0, here, 3, Duration.ofMillis(500).toNanos());
        time.advance(Duration.ofSeconds(20));
        others.closeAsync();
        time.advance(Duration.ofSeconds(40));
        waits.clear();

        time.advance(Duration.ofSeconds(10));

        assertThat(waits).isNotEmpty().allMatch(wait -> wait <= 20 * EngineTime.MILLI);
    }
}
