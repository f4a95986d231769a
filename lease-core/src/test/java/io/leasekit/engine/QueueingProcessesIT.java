package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes of eight threads contend for one key. Sections never overlap, and no thread starves (protocol 6). */
@Tag("full")
class QueueingProcessesIT {

    private static final int THREADS = 8;
    private static final int SECONDS = 12;

    /** A process that the machine stalls makes the threads of both wait. A queue that starves one does so in each crowd. */
    private static final int CROWDS = 3;

    @Test
    @Timeout(600)
    void nobodyWaitsLongerThanTenTimesTheMedian(@TempDir Path directory) throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(Duration.ofSeconds(20))) {
            LeaseProcesses.Child one = processes.start("one", Map.of());
            LeaseProcesses.Child two = processes.start("two", Map.of());
            assertThat(one.answer()).isEqualTo("ready");
            assertThat(two.answer()).isEqualTo("ready");

            List<Waits> crowds = new ArrayList<>();
            do {
                Path journal = Files.createFile(directory.resolve("journal-" + crowds.size()));
                crowds.add(crowd(one, two, journal));
                assertInTurn(Files.readAllLines(journal));
            } while (crowds.stream().noneMatch(Waits::areFair) && crowds.size() < CROWDS);

            assertThat(crowds).anyMatch(Waits::areFair);
        }
    }

    private record Waits(int count, long medianMillis, long longestMillis) {

        boolean areFair() {
            return longestMillis <= 10 * medianMillis;
        }
    }

    private static Waits crowd(LeaseProcesses.Child one, LeaseProcesses.Child two, Path journal) {
        String crowd = "crowd " + UUID.randomUUID() + " " + journal + " " + SECONDS + " " + THREADS;
        one.tell(crowd);
        two.tell(crowd);
        List<Long> all = Stream.of(one.answer(), two.answer())
                .flatMap(answer -> waits(answer).stream())
                .sorted()
                .toList();
        Waits waits = new Waits(all.size(), all.get(all.size() / 2), all.get(all.size() - 1));
        System.out.println(waits);
        return waits;
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
