package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge refuses processes that are broken, by nothing but their histories and the tables. */
class BrokenNodesIT {

    private static final Duration DURATION = Duration.ofSeconds(12);

    /** In some storms, by chance, the process without renewals gets no lease that it relies on for longer than the ttl. */
    private static final int STORMS = 3;

    @Test
    void theJudgeFindsProcessesThatDoNotRenewOrDoNotGuard(@TempDir Path folder) throws Exception {
        Replay replay = storm(folder, 1);
        for (int seed = 2; seed <= STORMS && replay.isAccepted(); seed++) {
            replay = storm(folder, seed);
        }

        assertThat(replay.isAccepted())
                .as("unsent renewals are no behaviour of Lease.tla: %s", replay)
                .isFalse();
    }

    private static Replay storm(Path folders, int seed) throws Exception {
        Path folder = Files.createDirectory(folders.resolve("seed-" + seed));
        Storm.run(new Storm.Plan(
                folder,
                DURATION,
                seed,
                Stream.of(Broken.RENEWALS_UNSENT, Broken.WRITES_UNGUARDED, Broken.NOT)
                        .map(NodePlan::of)
                        .toList(),
                true));
        Verdict verdict = Judge.judge(Histories.read(folder));

        System.out.println(verdict);
        assertThat(verdict.violations()).containsKeys(Judge.EXCLUSION, Judge.WRITES);
        assertThat(verdict.violations().get(Judge.EXCLUSION))
                .as("two valid leases")
                .allMatch(text -> text.contains("node0"));
        assertThat(verdict.violations().get(Judge.WRITES))
                .as("writes after the release")
                .anyMatch(text -> text.contains("node1") && text.contains("was applied although"));

        Replay replay = Replay.of(Recording.read(folder), Path.of("target", "replays", "broken-" + seed));
        System.out.println(replay);
        return replay;
    }
}
