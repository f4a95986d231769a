package io.leasekit.storm;

import io.leasekit.storm.Recording.Line;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All that the processes of a storm recorded about the traced key, in the order of the machine's monotonic clock.
 *
 * @param wallOffset DynamoDB's time less the monotonic time, in nanoseconds
 * @param lines the requests, replies, grants and samples
 */
record Recording(long wallOffset, List<Line> lines) {

    /** The earliest time at which a process may have read the clock for a request. */
    static final String CLOCK = "clock";

    /** A line of the history or trace of a process. */
    record Line(String process, Event event) {

        /** A request was recorded before its sending, and all else when it was known. */
        long nanos() {
            return event.number(event.has(Event.TO) ? Event.TO : Event.FROM);
        }
    }

    /** Reads a folder or zip file of histories and traces. */
    static Recording read(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            return readFolder(place);
        }
        try (FileSystem zip = FileSystems.newFileSystem(place)) {
            return readFolder(zip.getPath("/"));
        }
    }

    /** Returns other lines of the same storm. */
    Recording with(List<Line> others) {
        return new Recording(wallOffset, others);
    }

    /** Returns the first lines of this recording. A prefix of a behaviour is a behaviour. */
    Recording first(int most) {
        return with(lines.subList(0, Math.min(most, lines.size())));
    }

    private static Recording readFolder(Path folder) throws IOException {
        List<Line> lines = new ArrayList<>();
        Stops stops = new Stops();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                String name = String.valueOf(file.getFileName());
                if (name.endsWith(".jsonl") && !name.contains("table")) {
                    List<Line> recorded = lines(file, name.substring(0, name.indexOf('.')));
                    stops.add(recorded);
                    lines.addAll(name.endsWith(History.TRACE) ? recorded : promises(recorded));
                }
            }
        }
        lines.stream()
                .filter(line -> line.event().kind().equals("sent"))
                .forEach(line -> line.event().with(CLOCK, stops.read(line)));
        Event clocks = lines.stream()
                .map(Line::event)
                .filter(Recording::isOfClocks)
                .findFirst()
                .orElseThrow();
        lines.removeIf(line -> isOfClocks(line.event()));
        return new Recording(
                clocks.number("millis") * 1_000_000 - clocks.number(Event.FROM), LateRenewals.inOrder(lines));
    }

    private static boolean isOfClocks(Event event) {
        return event.kind().equals("clocks");
    }

    /** A process that is killed may leave a part of a line. */
    private static List<Line> lines(Path file, String process) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.endsWith("}"))
                .map(line -> new Line(process, Event.parse(line)))
                .toList();
    }

    /** Returns the grants of the traced key, and the samples that promise more than those before. */
    private static List<Line> promises(List<Line> history) {
        List<Line> promises = new ArrayList<>();
        Map<Long, Long> promised = new HashMap<>();
        for (Line line : history) {
            Event event = line.event();
            if (!event.text(Event.KEYS).equals(Scene.TRACED) || line.process().equals(Scene.LAST)) {
                continue;
            }
            if (event.kind().equals("granted")) {
                promises.add(line);
            } else if (event.kind().equals("sample") && event.number("left") > 0) {
                long until = event.number(Event.FROM) + event.number("left");
                Long before = promised.get(event.number(Event.TOKEN));
                if (before == null || until - before > 1_000_000) {
                    promised.put(event.number(Event.TOKEN), until);
                    promises.add(line);
                }
            }
        }
        return promises;
    }
}
