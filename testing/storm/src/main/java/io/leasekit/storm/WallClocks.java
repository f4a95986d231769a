package io.leasekit.storm;

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

/** Wrong wall clocks by libfaketime. The monotonic clocks stay right, as on a real machine. */
final class WallClocks {

    private final Path library;
    private final Path folder;

    private WallClocks(Path library, Path folder) {
        this.library = library;
        this.folder = folder;
    }

    /** Returns empty if libfaketime is not installed. The folder is for the offset of clocks that jump. */
    static Optional<WallClocks> find(Path folder) throws IOException {
        for (String place : List.of("/usr/lib", "/usr/lib64", "/usr/local/lib")) {
            if (Files.isDirectory(Path.of(place))) {
                try (Stream<Path> files = Files.find(
                        Path.of(place), 3, (file, attributes) -> file.endsWith("faketime/libfaketimeMT.so.1"))) {
                    Optional<Path> library = files.findFirst();
                    if (library.isPresent()) {
                        return library.map(found -> new WallClocks(found, folder));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the environment of a process whose wall clock is off by this. */
    Map<String, String> off(Duration offset) {
        return environment(Map.of("FAKETIME", text(offset)));
    }

    /** Returns the environment of a process whose wall clock {@link #jump} sets. It looks once a second. */
    Map<String, String> jumping() {
        return environment(Map.of("FAKETIME_TIMESTAMP_FILE", offset().toString(), "FAKETIME_CACHE_DURATION", "1"));
    }

    /** Sets the clocks that jump to this offset. No process reads half of it. */
    void jump(Duration to) throws IOException {
        Path fresh = Files.writeString(folder.resolve("fresh-offset"), text(to));
        Files.move(fresh, offset(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Path offset() {
        return folder.resolve("offset");
    }

    private static String text(Duration offset) {
        return "%+d".formatted(offset.toSeconds());
    }

    private Map<String, String> environment(Map<String, String> clock) {
        Map<String, String> environment = new HashMap<>(clock);
        environment.put("LD_PRELOAD", library.toString());
        environment.put("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        environment.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        return environment;
    }
}
