package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The histories of an hour of storm that are kept with the code. */
class KeptHistoriesTest {

    private static final Path KEPT = Path.of("src", "test", "histories", "hour-of-seed-21.zip");
    private static final Path DOCUMENT = Path.of("..", "..", "docs", "correctness.md");

    @Test
    void theirVerdictIsTheOneThatTheDocumentNames() throws IOException {
        Verdict verdict = Judge.judge(Histories.read(KEPT));

        assertThat(verdict.isClean()).as("%s", verdict).isTrue();
        assertThat(Files.readString(DOCUMENT)).contains(verdict.toString());
    }
}
