package io.leasekit.storm;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Reads the histories and tables of a folder, or of a zip file of one. */
final class Histories {

    static final String LEASES = "leases.table.jsonl";
    static final String REFEREE = "referee.table.jsonl";

    private Histories() {}

    /**
     * Returns the evidence in this folder or zip file.
     *
     * @throws IllegalArgumentException if there is no history or no table, or if a line other than the last one of a
     *     history is not complete
     */
    static Evidence read(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            return readFolder(place);
        }
        try (FileSystem zip = FileSystems.newFileSystem(place)) {
            return readFolder(zip.getPath("/"));
        }
    }

    private static Evidence readFolder(Path folder) throws IOException {
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
            return files.filter(file -> file.toString().endsWith(History.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    private static Path table(Path folder, String name) {
        Path table = folder.resolve(name);
        if (!Files.exists(table)) {
            throw new IllegalArgumentException("No table " + name + " in " + folder);
        }
        return table;
    }

    private static void forEachLine(Path file, Consumer<Event> action) throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
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
}
