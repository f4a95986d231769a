package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.time.EngineTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The requests of 3,000 schedules, compared with those of an earlier version: each request that a process sends and each one
 * that the table evaluates, with its kind, keys and outcome. The file has a line for each schedule: its name, a checksum of
 * the sequence, and how many requests of each kind were sent. A change that leaves the protocol as it is leaves these lines.
 *
 * <p>The name has the seed, the number of permits, and what else is special: {@code w} for watches, whose reads are in the
 * sequence, {@code p} for pauses, {@code r} for progress.
 */
@Tag("full")
class RequestSequenceTest {

    private static final Path FILE = Path.of("src", "simulation", "requests.sequences");
    private static final long LONG = 60 * EngineTime.SECOND;

    /** Writes the file anew. */
    private static final boolean RECORDS = Boolean.getBoolean("leasekit.sequences.record");

    /** A folder: sequences that are not there yet are written to it, the others are compared with it. */
    private static final String FOLDER = System.getProperty("leasekit.sequences.folder");

    private static final String COMMAND = "./mvnw -Pfull -pl lease-core -am test -Dtest=RequestSequenceTest";

    private record Schedule(long seed, int permits) {

        List<String> sequence() {
            List<String> lines = new ArrayList<>();
            Simulation.record(seed, LONG, permits, lines::add);
            return lines;
        }

        String name() {
            return seed + "/" + permits + (seed % 5 == 0 && permits == 0 ? "w" : "") + (seed % 4 == 1 ? "p" : "")
                    + (seed >= SimProgress.FIRST_SEED ? "r" : "");
        }

        String line(List<String> sequence) {
            CRC32 sum = new CRC32();
            sequence.forEach(line -> sum.update((line + "\n").getBytes(StandardCharsets.UTF_8)));
            Map<String, Integer> sent = new TreeMap<>();
            sequence.stream()
                    .filter(line -> line.contains(" sends "))
                    .forEach(line ->
                            sent.merge(line.replaceAll("^.* sends | \\[.*", "").replace(' ', '-'), 1, Integer::sum));
            return String.format(
                    "%s %08x %s", name(), sum.getValue(), sent.toString().replaceAll("[{,}]", ""));
        }
    }

    private static Stream<Schedule> schedules() {
        return Stream.of(
                        IntStream.rangeClosed(1, 2_400).mapToObj(seed -> new Schedule(seed, 0)),
                        IntStream.rangeClosed(1, 300).mapToObj(seed -> new Schedule(seed, 1 + seed % 3)),
                        IntStream.range(0, 300).mapToObj(i -> new Schedule(SimProgress.FIRST_SEED + i, 0)))
                .flatMap(each -> each);
    }

    @Test
    void eachScheduleSendsTheRecordedRequests() throws IOException {
        List<String> lines = new ArrayList<>();
        List<String> first = new ArrayList<>();
        for (Schedule schedule : schedules().toList()) {
            List<String> sequence = schedule.sequence();
            lines.add(schedule.line(sequence));
            if (FOLDER != null) {
                compare(schedule, sequence, first);
            }
        }
        if (RECORDS) {
            Files.write(FILE, lines);
        }

        List<String> recorded = Files.readAllLines(FILE);
        List<String> different =
                lines.stream().filter(line -> !recorded.contains(line)).toList();
        assertThat(different)
                .as(
                        "%d of %d schedules, %d of them with watches, differ from %s. For the first step that differs, run"
                                + " the earlier and this version with %s -Dleasekit.sequences.folder=FOLDER. To record them"
                                + " anew, add -Dleasekit.sequences.record=true. First steps:%n%s",
                        different.size(),
                        lines.size(),
                        different.stream()
                                .filter(line -> line.matches("\\S+w.*"))
                                .count(),
                        FILE,
                        COMMAND,
                        String.join("\n", first))
                .isEmpty();
    }

    private static void compare(Schedule schedule, List<String> sequence, List<String> first) throws IOException {
        Path file = Path.of(FOLDER).resolve(schedule.name().replace('/', '-'));
        if (!Files.exists(file)) {
            Files.createDirectories(file.getParent());
            Files.write(file, sequence);
            return;
        }
        List<String> before = Files.readAllLines(file);
        int same = 0;
        while (same < before.size()
                && same < sequence.size()
                && before.get(same).equals(sequence.get(same))) {
            same++;
        }
        if (same < before.size() || same < sequence.size()) {
            first.add(schedule.name() + " after " + same + " steps: " + at(before, same) + " -> " + at(sequence, same));
        }
    }

    private static String at(List<String> sequence, int step) {
        return step < sequence.size() ? sequence.get(step) : "end";
    }
}
