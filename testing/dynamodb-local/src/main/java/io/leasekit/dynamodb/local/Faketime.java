package io.leasekit.dynamodb.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The environments of processes with wrong wall clocks, for tests. Their monotonic clocks are right, as on a real machine.
 * Thread-safe.
 */
public final class Faketime {

    private final Path library;

    private Faketime(Path library) {
        this.library = library;
    }

    /** Returns empty if faketime is not installed. */
    public static Optional<Faketime> find() throws IOException {
        for (Path libraries : List.of(Path.of("/usr/lib"), Path.of("/usr/lib64"), Path.of("/usr/local/lib"))) {
            if (Files.isDirectory(libraries)) {
                try (Stream<Path> files =
                        Files.find(libraries, 3, (file, attributes) -> file.endsWith("faketime/libfaketimeMT.so.1"))) {
                    Optional<Path> found = files.findFirst();
                    if (found.isPresent()) {
                        return found.map(Faketime::new);
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the environment of a process whose wall clock is wrong by this duration. */
    public Map<String, String> off(Duration offset) {
        return environment(Map.of("FAKETIME", text(offset)));
    }

    /**
     * Returns the environment of processes whose wall clocks are off by what {@link #set} wrote last. Each process
     * reads it once a second. More frequent reads would slow it down too much.
     */
    public Map<String, String> setBy(Path folder) {
        return environment(
                Map.of("FAKETIME_TIMESTAMP_FILE", offsetIn(folder).toString(), "FAKETIME_CACHE_DURATION", "1"));
    }

    /** Writes the offset atomically, so a process never reads half of it. */
    public static void set(Path folder, Duration offset) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh"), text(offset));
        Files.move(fresh, offsetIn(folder), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static Path offsetIn(Path folder) {
        return folder.resolve("offset");
    }

    private static String text(Duration offset) {
        return "%+d".formatted(offset.toSeconds());
    }

    /** Disables faketime's monotonic fix, so JVM waits that use the monotonic clock end on time. */
    private Map<String, String> environment(Map<String, String> clock) {
        Map<String, String> environment = new HashMap<>(clock);
        environment.put("LD_PRELOAD", library.toString());
        environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        return environment;
    }
}
