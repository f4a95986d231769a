package io.leasekit.pause;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.leasekit.LeasePause;
import io.leasekit.fuzz.Draws;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The text of the pauses in their item, whatever others have written into it. */
class PausesFuzzTest {

    @Test
    @Tag("each-build")
    void theSameTextsInEachBuild() {
        Draws.deterministic(2_000, Target::check);
    }

    @FuzzTest
    void aTextIsReadAndAChangeKeepsItsPauses(byte[] data) {
        Target.check(data);
    }

    /** Apart from the test: see {@link Draws}. */
    private static final class Target {

        private static final List<String> PARTS = List.of(
                " ",
                " ",
                " ",
                "\n",
                "\n",
                "-",
                "1800000000000 me why order-*\n",
                "1800000000000",
                "9000000000000",
                "9000000000001",
                "-1",
                "*",
                "%2A",
                "%",
                "+",
                "\t");

        static void check(byte[] data) {
            Draws draws = new Draws(data);
            String text = draws.joined(40, PARTS);
            LeasePause added = new LeasePause(
                    draws.of("order-*", "a b\nc", "%2A", "ü+"),
                    Instant.ofEpochMilli(1_800_000_000_000L),
                    "me",
                    "why not");

            List<LeasePause> pauses = PauseText.pauses(text);
            assertThat(pauses).allSatisfy(pause -> {
                assertThat(pause.toString()).isNotEmpty();
                assertThat(pause.until().toEpochMilli()).isBetween(0L, 9_000_000_000_000L);
            });
            assertThat(PauseText.changes(text)).isNotEmpty();
            List<LeasePause> changed = PauseRules.with(pauses, added, Instant.ofEpochMilli(1_799_999_999_000L));
            String after = PauseText.of("change-1", PauseText.changes(text), changed);
            assertThat(PauseText.pauses(after)).isEqualTo(changed);
            assertThat(PauseText.changes(after).get(0)).isEqualTo("change-1");
            assertThat(changed).contains(added).anyMatch(pause -> pause.covers(added.keyOrPrefix()));
        }
    }
}
