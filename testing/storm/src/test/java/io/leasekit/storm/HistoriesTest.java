package io.leasekit.storm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoriesTest {

    private static final String GRANT = "{\"event\":\"granted\",\"keys\":\"a,b\",\"token\":7,\"from\":10,\"to\":20}\n";

    @TempDir
    Path folder;

    @BeforeEach
    void saveTables() throws IOException {
        Files.writeString(folder.resolve("leases.table.jsonl"), "{\"key\":\"a\",\"token\":7}\n");
        Files.writeString(
                folder.resolve("referee.table.jsonl"),
                "{\"key\":\"a\",\"position\":1,\"token\":7,\"id\":\"one-0:1\"}\n");
    }

    @Test
    void aHistoryIsReadAsItWasWritten() throws IOException {
        try (History history = History.open(folder, "one-0")) {
            history.add(Event.of("granted")
                    .keys(List.of("a", "b"))
                    .with(Event.TOKEN, 7)
                    .between(10, 20));
        }

        assertThat(folder.resolve("one-0.history.jsonl")).hasContent(GRANT);
        assertRead(Histories.read(folder));
    }

    @Test
    void aFolderMayBeAZipFile() throws IOException {
        Path zip = folder.resolve("seed-1.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            add(out, "one-0.history.jsonl", GRANT);
            for (String table : List.of("leases.table.jsonl", "referee.table.jsonl")) {
                add(out, table, Files.readString(folder.resolve(table)));
            }
        }

        assertRead(Histories.read(zip));
    }

    private static void add(ZipOutputStream zip, String file, String text) throws IOException {
        zip.putNextEntry(new ZipEntry(file));
        zip.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRead(Evidence evidence) {
        assertThat(evidence.leases()).singleElement().satisfies(lease -> {
            assertThat(lease.process()).isEqualTo("one-0");
            assertThat(lease.keys()).containsExactly("a", "b");
            assertThat(lease.token()).isEqualTo(7);
            assertThat(lease.asked()).isEqualTo(10);
            assertThat(lease.granted()).isEqualTo(20);
        });
        assertThat(evidence.log().get("a")).containsExactly(new Evidence.Entry(1, 7, "one-0:1"));
        assertThat(evidence.items()).containsEntry("a", new Evidence.Item(7, true));
    }

    @Test
    void theLastLineOfAKilledProcessMayBeIncomplete() throws IOException {
        Files.writeString(folder.resolve("one-0.history.jsonl"), GRANT + "{\"event\":\"sam");

        assertRead(Histories.read(folder));
    }

    @Test
    void anIncompleteLineInTheMiddleIsAnError() throws IOException {
        Files.writeString(folder.resolve("one-0.history.jsonl"), "{\"event\":\"gran\n" + GRANT);

        assertThatIllegalArgumentException().isThrownBy(() -> Histories.read(folder));
    }

    @Test
    void withoutAGrantThereIsNothingToJudge() {
        assertThatIllegalArgumentException().isThrownBy(() -> Judge.judge(new Evidence()));
    }
}
