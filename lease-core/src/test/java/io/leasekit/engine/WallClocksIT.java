package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exclusion and take-over do not depend on wall clocks. Two processes have wall clocks an hour off in either direction,
 * a third has one that is set back and forth while it runs. The monotonic clocks are right, as on a real machine.
 */
class WallClocksIT {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration AHEAD = Duration.ofHours(1);

    private static final Duration STEP = Duration.ofMillis(1_500);
    private static final int STEPS = 8;

    /** The time after which the first call of another process gets the lease of a dead one. */
    private static final Duration TAKEN_OVER = TTL.plusSeconds(7);

    @TempDir
    Path scratch;

    private String library;

    @BeforeEach
    void findFaketime() throws IOException {
        Optional<Path> found = findLibrary();
        assumeTrue(found.isPresent(), "faketime is not installed");
        library = found.orElseThrow().toString();
    }

    private static Optional<Path> findLibrary() throws IOException {
        for (Path libraries : List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"), Path.of("/usr/local/lib"))) {
            if (Files.isDirectory(libraries)) {
                try (Stream<Path> files =
                        Files.find(libraries, 3, (file, attributes) -> file.endsWith("faketime/libfaketimeMT.so.1"))) {
                    Optional<Path> found = files.findFirst();
                    if (found.isPresent()) {
                        return found;
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Disables faketime's monotonic fix, so JVM waits that use the monotonic clock end on time. */
    private Map<String, String> faketime(Map<String, String> offset) {
        Map<String, String> environment = new HashMap<>(offset);
        environment.put("LD_PRELOAD", library);
        environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        return environment;
    }

    private Map<String, String> off(Duration offset) {
        return faketime(Map.of("FAKETIME", text(offset)));
    }

    /** The file is read once a second. More frequent reads would slow the process down too much. */
    private Map<String, String> setBy(Path offset) {
        return faketime(Map.of("FAKETIME_TIMESTAMP_FILE", offset.toString(), "FAKETIME_CACHE_DURATION", "1"));
    }

    private static String text(Duration offset) {
        return "%+d".formatted(offset.toSeconds());
    }

    /** Writes the file atomically, so the process never reads half of it. */
    private Path set(Duration offset) throws IOException {
        Path fresh = Files.writeString(scratch.resolve("fresh"), text(offset));
        return Files.move(
                fresh, scratch.resolve("offset"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    @Timeout(90)
    void neitherExclusionNorTakeOverDependsOnThem() throws Exception {
        try (LeaseProcesses processes = new LeaseProcesses(TTL)) {
            LeaseProcesses.Child ahead = processes.start("ahead", off(AHEAD));
            LeaseProcesses.Child behind = processes.start("behind", off(AHEAD.negated()));
            LeaseProcesses.Child jumping = processes.start("jumping", setBy(set(Duration.ZERO)));
            List<LeaseProcesses.Child> all = List.of(ahead, behind, jumping);
            for (LeaseProcesses.Child process : all) {
                assertThat(process.answer()).isEqualTo("ready");
            }
            contend(all);
            takeOver(ahead, behind, jumping);
        }
    }

    private void contend(List<LeaseProcesses.Child> all) throws Exception {
        Path journal = Files.createFile(scratch.resolve("journal"));
        String key = "contended-" + UUID.randomUUID();
        all.forEach(process -> process.tell("contend " + key + " " + journal + " "
                + STEP.multipliedBy(STEPS).toSeconds()));
        for (int step = 0; step < STEPS; step++) {
            set(step % 2 == 0 ? AHEAD : AHEAD.negated());
            Thread.sleep(STEP.toMillis());
        }
        for (LeaseProcesses.Child process : all) {
            assertThat(process.answer()).as("number of sections").matches("[1-9]\\d*");
        }
        assertOneAtATime(Files.readAllLines(journal));
    }

    private static void assertOneAtATime(List<String> journal) {
        List<Long> tokens = new ArrayList<>();
        for (int line = 0; line < journal.size(); line += 2) {
            long token = Long.parseLong(journal.get(line).substring("enter ".length()));
            assertThat(journal.subList(line, line + 2)).containsExactly("enter " + token, "leave " + token);
            tokens.add(token);
        }
        assertThat(tokens).hasSizeGreaterThan(8).doesNotHaveDuplicates().isSorted();
    }

    private static void takeOver(LeaseProcesses.Child ahead, LeaseProcesses.Child behind, LeaseProcesses.Child jumping)
            throws Exception {
        String first = UUID.randomUUID().toString();
        String second = UUID.randomUUID().toString();
        assertThat(ahead.ask("try " + first)).isEqualTo("acquired");
        assertThat(behind.ask("try " + second)).isEqualTo("acquired");
        ahead.signal("KILL");

        assertThat(behind.ask("try " + first)).isEqualTo("unavailable");
        assertThat(jumping.ask("try " + second)).isEqualTo("unavailable");
        Thread.sleep(TAKEN_OVER.toMillis());
        assertThat(behind.ask("try " + first)).isEqualTo("acquired");
        assertThat(jumping.ask("try " + second)).as("the holder lives").isEqualTo("unavailable");
        behind.signal("KILL");
        Thread.sleep(TAKEN_OVER.toMillis());
        assertThat(jumping.ask("try " + second)).isEqualTo("acquired");
    }
}
