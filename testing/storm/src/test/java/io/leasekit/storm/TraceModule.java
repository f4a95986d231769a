package io.leasekit.storm;

import io.leasekit.storm.Recording.Line;
import io.leasekit.tenure.Tenure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The module {@code TraceData} of recorded lines. Each process is a client. Its tenures are counted from 1, in the order of
 * their first requests, and its writes through all tenures, as {@code Lease.tla} counts them. Times are milliseconds of
 * DynamoDB's clock from the time that {@code base} is. Used by one thread.
 */
final class TraceModule {

    /** TLC has 32 bits for a number, so an expiry beyond is never reached in a trace. */
    private static final long FAR = 1_000_000_000;

    /** Before all times of a trace, so none is 0, which means none. */
    private static final long BEFORE = 1_000_000;

    private static final String NO_VERSION = "<<\"none\", 0, 0>>";

    private final List<Line> lines;
    private final long offset;
    private final long base;
    private final Map<String, Integer> requests = new HashMap<>();
    private final Map<String, Integer> replies = new HashMap<>();
    private final Map<String, Map<UUID, Integer>> tenures = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, String> versions = new HashMap<>();

    private TraceModule(Recording recording) {
        this.lines = recording.lines();
        this.offset = recording.wallOffset();
        this.base = (lines.get(0).nanos() + offset) / 1_000_000 - BEFORE;
        for (int i = 0; i < lines.size(); i++) {
            index(lines.get(i), i + 1);
        }
    }

    /** Returns the text of the module. */
    static String of(Recording recording) {
        return new TraceModule(recording).text();
    }

    private void index(Line line, int step) {
        Event event = line.event();
        if (event.kind().equals("sent")) {
            requests.put(request(line), step);
        } else if (event.kind().equals("answered")) {
            replies.put(request(line), step);
        }
    }

    private static String request(Line line) {
        return line.process() + " " + line.event().number("request");
    }

    private String text() {
        List<String> steps = new ArrayList<>();
        lines.forEach(line -> steps.add(step(line)));
        String clients = lines.stream().map(Line::process).collect(Collectors.toCollection(TreeSet::new)).stream()
                .map(TraceModule::quoted)
                .collect(Collectors.joining(", "));
        return "---- MODULE TraceData ----\nTraceClients == {" + clients + "}\nTrace == <<\n"
                + String.join(",\n", steps) + "\n>>\n====\n";
    }

    private String step(Line line) {
        Fields fields = new Fields().with("at", millis(line.nanos())).with("client", quoted(line.process()));
        Event event = line.event();
        switch (event.kind()) {
            case "sent" -> sent(fields, line);
            case "answered" -> answered(fields, line);
            case "granted" -> fields.with("kind", quoted("granted")).with("token", token(event));
            case "sample" ->
                fields.with("kind", quoted("valid"))
                        .with("token", token(event))
                        .with("until", millis(event.number(Event.FROM) + event.number("left")));
            default -> throw new IllegalArgumentException("Unknown event " + event);
        }
        return fields.toString();
    }

    private void sent(Fields fields, Line line) {
        Event event = line.event();
        String verb = event.text(Sent.VERB);
        fields.with("clock", millis(event.number(Recording.CLOCK)))
                .with("kind", quoted(verb))
                .with("reply", replies.getOrDefault(request(line), 0));
        if (verb.equals("read")) {
            return;
        }
        String version = verb.equals("release") ? event.text(Sent.OWN) : event.text(Sent.VERSION);
        int tenure = tenure(line.process(), version);
        int number = numbers.merge(line.process(), 1, Integer::sum);
        if (event.has(Sent.VERSION)) {
            versions.put(version, "<<" + quoted(line.process()) + ", " + tenure + ", " + number + ">>");
            fields.with("rank", Tenure.numberIn(version));
        }
        fields.with("tenure", tenure).with("number", number).with("expiry", expiry(event));
        fields.with("token", token(event)).with("duration", number(event, Sent.DURATION));
        fields.with("dead", version(event, Sent.DEAD));
        fields.with("earliest", event.has(Sent.FREE_BELOW) ? event.number(Sent.FREE_BELOW) * 1_000 - base : 0);
        range(fields, line, Sent.OWN, "ownTenure", "own");
        range(fields, line, Sent.OVER, "over", "over");
    }

    private void range(Fields fields, Line line, String name, String tenure, String prefix) {
        Event event = line.event();
        if (event.has(name)) {
            fields.with(tenure, tenure(line.process(), event.text(name)))
                    .with(prefix + "First", Tenure.numberIn(event.text(name)))
                    .with(prefix + "Last", Tenure.numberIn(event.text(name + "Last")));
        }
    }

    private void answered(Fields fields, Line line) {
        Event event = line.event();
        fields.with("kind", quoted("answered"))
                .with("request", requests.getOrDefault(request(line), 0))
                .with("outcome", quoted(event.text(Event.OUTCOME)))
                .with("item", quoted(event.text("item")))
                .with("version", version(event, Sent.VERSION))
                .with("token", token(event))
                .with("expiry", expiry(event))
                .with("duration", number(event, Sent.DURATION));
    }

    private int tenure(String process, String version) {
        Map<UUID, Integer> own = tenures.computeIfAbsent(process, p -> new HashMap<>());
        UUID id = Tenure.tenureOf(version);
        return id == null ? 0 : own.computeIfAbsent(id, first -> own.size() + 1);
    }

    /** Returns the version as a tuple. One that no process recorded is nobody's. */
    private String version(Event event, String name) {
        return event.has(name) ? versions.getOrDefault(event.text(name), "<<\"unknown\", 0, 0>>") : NO_VERSION;
    }

    private long millis(long nanos) {
        return Math.floorDiv(nanos + offset, 1_000_000L) - base;
    }

    private long token(Event event) {
        return event.has(Event.TOKEN) ? event.number(Event.TOKEN) - base : 0;
    }

    private long expiry(Event event) {
        return event.has(Sent.EXPIRY) ? Math.min(FAR, event.number(Sent.EXPIRY) * 1_000 - base) : 0;
    }

    private static long number(Event event, String name) {
        return event.has(name) ? event.number(name) : 0;
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }

    /** A record of TLA+. All steps have the same fields. */
    private static final class Fields {

        private final Map<String, String> values = new TreeMap<>();

        Fields() {
            for (String number : List.of(
                    "clock",
                    "reply",
                    "request",
                    "rank",
                    "tenure",
                    "number",
                    "expiry",
                    "token",
                    "duration",
                    "earliest",
                    "ownTenure",
                    "ownFirst",
                    "ownLast",
                    "over",
                    "overFirst",
                    "overLast",
                    "until")) {
                with(number, 0);
            }
            for (String text : List.of("outcome", "item")) {
                with(text, quoted(""));
            }
            with("version", NO_VERSION).with("dead", NO_VERSION);
        }

        Fields with(String name, long number) {
            return with(name, String.valueOf(number));
        }

        Fields with(String name, String value) {
            values.put(name, value);
            return this;
        }

        @Override
        public String toString() {
            return values.entrySet().stream()
                    .map(field -> field.getKey() + " |-> " + field.getValue())
                    .collect(Collectors.joining(", ", "[", "]"));
        }
    }
}
