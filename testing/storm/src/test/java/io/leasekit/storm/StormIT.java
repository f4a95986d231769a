package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.leasekit.dynamodb.local.Faketime;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Three processes under lost, repeated, late and wrong replies, SIGKILL, SIGSTOP and wrong clocks; then a judgement by what
 * they wrote down. The profile {@code storm} lasts longer.
 */
class StormIT {

    private static final Duration DURATION = Duration.parse(System.getProperty("leasekit.storm.duration", "PT30S"));
    private static final String SEED = System.getProperty("leasekit.storm.seed", "");

    /** A busy machine may let too little happen in one of them. */
    private static final int STORMS = 3;

    /** Lines of the recording; TLC's time grows with their square. */
    private static final int REPLAYED = 600;

    @BeforeEach
    void findFaketime() throws IOException {
        assumeTrue(Faketime.find().isPresent(), "faketime is not installed");
    }

    @Test
    void noPromiseIsBrokenUnderFire() throws Exception {
        List<AssertionError> tooLittle = new ArrayList<>();
        do {
            tooLittle.add(tooLittleOfAStorm());
        } while (tooLittle.get(tooLittle.size() - 1) != null && tooLittle.size() < STORMS);

        assertThat(tooLittle).containsNull();
    }

    /** Asserts that a storm breaks no promise; returns what too little happened of, {@code null}: of nothing. */
    private static @Nullable AssertionError tooLittleOfAStorm() throws Exception {
        long seed = SEED.isEmpty() ? ThreadLocalRandom.current().nextInt(1_000_000) : Long.parseLong(SEED);
        Path folder = Path.of(
                        "target", "storm", "seed-" + seed + "-" + Instant.now().getEpochSecond())
                .toAbsolutePath();
        System.out.println("Storm of seed " + seed + " for " + DURATION + "; histories are in " + folder);

        Storm.Report report =
                Storm.run(new Storm.Plan(folder, DURATION, seed, Collections.nCopies(3, Broken.NOT), false));
        Verdict verdict = Judge.judge(Histories.read(folder));

        System.out.println(report);
        System.out.println(verdict);
        assertThat(verdict.isClean()).as("seed %d: %s", seed, verdict).isTrue();
        Replay replay = assertThatTheModelBehavesSo(folder);
        try {
            assertThatMuchHappened(report, verdict, replay);
            return null;
        } catch (AssertionError e) {
            System.out.println(e);
            return e;
        }
    }

    private static Replay assertThatTheModelBehavesSo(Path folder) throws Exception {
        Recording begin = Recording.read(folder).first(REPLAYED);
        Replay replay = Replay.of(begin, folder.resolve("replay"));

        System.out.println("Replay against Lease.tla: " + replay);
        assertThat(replay.isAccepted()).as("%s in %s", replay, folder).isTrue();
        return replay;
    }

    /** A judgement of few events would say little. A quiet machine has ten times as many. */
    private static void assertThatMuchHappened(Storm.Report report, Verdict verdict, Replay replay) {
        assertThat(report.fates().keySet()).hasSizeGreaterThan(6);
        assertThat(report.misfortunes()).containsKey(Misfortunes.Kind.KILL);
        assertThat(verdict.killed()).isPositive();
        assertThat(verdict.leases()).isGreaterThan(20);
        assertThat(verdict.accepted()).isGreaterThan(20);
        assertThat(verdict.stale()).isPositive();
        assertThat(verdict.runs()).isPositive();
        assertThat(verdict.permits()).isPositive();
        assertThat(verdict.terms()).isPositive();
        assertThat(replay.lines()).isGreaterThan(50);
    }
}
