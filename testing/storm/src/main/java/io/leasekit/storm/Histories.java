package io.leasekit.storm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Reads the histories and tables of a folder, each as it is or compressed by gzip. */
final class Histories {

    static final String LEASES = "leases.table.jsonl";
    static final String REFEREE = "referee.table.jsonl";
    private static final String COMPRESSED = ".gz";

    private Histories() {}

    /**
     * Returns the evidence in this folder.
     *
     * @throws IllegalArgumentException if there is no history or no table, or if a line other than the last one of a
     *     history is not complete
     */
    static Evidence read(Path folder) throws IOException {
        Evidence evidence = new Evidence();
        List<Path> histories = histories(folder);
        if (histories.isEmpty()) {
            throw new IllegalArgumentException("No history in " + folder);
        }
        for (Path history : histories) {
            String name = String.valueOf(history.getFileName());
            String process = name.substring(0, name.indexOf(History.SUFFIX));
            forEachLine(history, line -> evidence.add(process, line));
        }
        forEachLine(table(folder, LEASES), evidence::addItem);
        forEachLine(table(folder, REFEREE), evidence::addEntry);
        return evidence;
    }

    private static List<Path> histories(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().contains(History.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    private static Path table(Path folder, String name) {
        return Stream.of(name, name + COMPRESSED)
                .map(folder::resolve)
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No table " + name + " in " + folder));
    }

    private static void forEachLine(Path file, Consumer<Event> action) throws IOException {
        try (InputStream bytes = open(file);
                BufferedReader lines = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (line != null) {
                String next = lines.readLine();
                if (next != null || line.endsWith("}")) { // a killed process may leave a part of a line
                    action.accept(Event.parse(line));
                }
                line = next;
            }
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream bytes = Files.newInputStream(file);
        return file.toString().endsWith(COMPRESSED) ? new GZIPInputStream(bytes) : bytes;
    }
}
