package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge refuses processes that are broken, by nothing but their histories and the tables. */
class BrokenNodesIT {

    private static final Duration DURATION = Duration.ofSeconds(12);

    @Test
    void theJudgeFindsProcessesThatDoNotRenewOrDoNotGuard(@TempDir Path folder) throws Exception {
        Storm.run(new Storm.Plan(
                folder,
                DURATION,
                1,
                Stream.of(Broken.RENEWALS_UNSENT, Broken.WRITES_UNGUARDED, Broken.NOT)
                        .map(NodePlan::of)
                        .toList(),
                true));
        Verdict verdict = Judge.judge(Histories.read(folder));

        Replay replay = Replay.of(Recording.read(folder), Path.of("target", "replays", "broken"));

        System.out.println(verdict);
        System.out.println(replay);
        assertThat(replay.isAccepted())
                .as("unsent renewals are no behaviour of Lease.tla: %s", replay)
                .isFalse();
        assertThat(verdict.violations()).containsKeys(Judge.EXCLUSION, Judge.WRITES);
        assertThat(verdict.violations().get(Judge.EXCLUSION))
                .as("two valid leases")
                .allMatch(text -> text.contains("node0"));
        assertThat(verdict.violations().get(Judge.WRITES))
                .as("writes after the release")
                .anyMatch(text -> text.contains("node1") && text.contains("was applied although"));
    }
}
