package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes of eight threads contend for one key. Sections never overlap, and no thread starves (protocol 6). */
class QueueingProcessesIT {

    private static final int THREADS = 8;
    private static final int SECONDS = 12;

    private final String key = UUID.randomUUID().toString();

    @Test
    @Timeout(120)
    void nobodyWaitsLongerThanTenTimesTheMedian(@TempDir Path directory) throws Exception {
        Path journal = Files.createFile(directory.resolve("journal"));
        try (LeaseProcesses processes = new LeaseProcesses(Duration.ofSeconds(20))) {
            LeaseProcesses.Child one = processes.start("one", Map.of());
            LeaseProcesses.Child two = processes.start("two", Map.of());
            assertThat(one.answer()).isEqualTo("ready");
            assertThat(two.answer()).isEqualTo("ready");

            String crowd = "crowd " + key + " " + journal + " " + SECONDS + " " + THREADS;
            one.tell(crowd);
            two.tell(crowd);
            List<Long> ofOne = waits(one.answer());
            List<Long> ofTwo = waits(two.answer());

            List<Long> all =
                    Stream.concat(ofOne.stream(), ofTwo.stream()).sorted().toList();
            long median = all.get(all.size() / 2);
            long longest = all.get(all.size() - 1);
            System.out.printf(
                    "waits: %d and %d, median %d ms, longest %d ms%n", ofOne.size(), ofTwo.size(), median, longest);
            assertThat(longest).isLessThanOrEqualTo(10 * median);
            assertInTurn(Files.readAllLines(journal));
        }
    }

    private static List<Long> waits(String answer) {
        return Arrays.stream(answer.split(",")).map(Long::valueOf).toList();
    }

    /** Asserts that each section ends before the next one begins, and that tokens grow. */
    private static void assertInTurn(List<String> lines) {
        long former = 0;
        for (int i = 0; i < lines.size(); i += 2) {
            long token = Long.parseLong(lines.get(i).substring("enter ".length()));
            assertThat(token).isGreaterThan(former);
            assertThat(lines.get(i + 1)).isEqualTo("leave " + token);
            former = token;
        }
    }
}
