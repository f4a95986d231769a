package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.LeasePastRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.fuzz.Draws;
import io.leasekit.records.RunHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The text of the last runs in an item, whatever others have written into it. */
class HistoryFuzzTest {

    @Test
    @Tag("each-build")
    void theSameTextsInEachBuild() {
        Draws.deterministic(2_000, Target::check);
    }

    @FuzzTest
    void aTextIsReadAndExtended(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        private static final List<String> PARTS = List.of(
                "\t",
                "\t",
                "\t",
                "\n",
                "\r",
                "7\tname\towner\t1800000000000\t1000\tSUCCEEDED\t\n",
                "7",
                "-1",
                "9223372036854775807",
                "9223372036854775808",
                "FAILED",
                "%",
                "%41",
                "%zz",
                "+");

        static void check(byte[] data) {
            Draws draws = new Draws(data);
            LeasePastRun added = new LeasePastRun(
                    draws.oneOf(4) ? null : draws.of("2027-01-15", "a\tb\nc", "ü %41+", ""),
                    "here",
                    draws.number(),
                    draws.oneOf(4) ? null : Instant.ofEpochMilli(draws.number()),
                    draws.oneOf(4) ? null : Duration.ofMillis(draws.number()),
                    draws.oneOf(4) ? null : draws.of(LeaseRunOutcome.values()),
                    draws.oneOf(2) ? null : "java.lang.IllegalStateException");
            int most = 1 + draws.below(50);
            String text = draws.joined(40, PARTS);

            assertThat(RunHistory.runs(text))
                    .allSatisfy(run -> assertThat(run.toString()).isNotEmpty());
            String extended = RunHistory.with(text, added, most);
            List<LeasePastRun> runs = RunHistory.runs(extended);
            assertThat(runs).hasSizeBetween(1, most);
            assertThat(runs.get(0))
                    .usingRecursiveComparison()
                    .ignoringFields("name")
                    .isEqualTo(added);
            assertThat(runs.get(0).name()).isEqualTo("".equals(added.name()) ? null : added.name());
            assertThat(runs)
                    .filteredOn(run -> run.fencingToken() == added.fencingToken())
                    .hasSize(1);
            assertThat(RunHistory.with(extended, added, most)).isEqualTo(extended);
        }
    }
}
