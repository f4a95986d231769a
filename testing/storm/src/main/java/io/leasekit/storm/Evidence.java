package io.leasekit.storm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The judge's knowledge: the histories of all processes, and the tables at the end. Not thread-safe. */
final class Evidence {

    /** A call that was answered with "already ran". */
    record AlreadyRan(String process, String key, String run, long at) {}

    /** A sample at which the election of this process said that it leads. */
    record Leading(String process, String key, long from, long to) {}

    /** An entry of the referee's log. */
    record Entry(long position, long token, String id) {}

    /** An item of the table of leases. {@code free}: no version is in it. */
    record Item(long token, boolean free) {}

    private final List<Held> leases = new ArrayList<>();
    private final List<GuardedWrite> writes = new ArrayList<>();
    private final List<AlreadyRan> alreadyRan = new ArrayList<>();
    private final List<Leading> leading = new ArrayList<>();
    private final Map<String, List<Event>> reports = new HashMap<>(); // of the manager, by identity
    private final List<String> unexpected = new ArrayList<>();
    private final Set<String> processes = new HashSet<>();
    private final Set<String> ended = new HashSet<>();
    private final Set<String> keys = new HashSet<>();
    private final Map<String, List<Entry>> log = new TreeMap<>();
    private final Map<String, Item> items = new HashMap<>();
    private final Map<String, Held> byIdentity = new HashMap<>();
    private final Map<String, LongSummaryStatistics> times = new HashMap<>();
    private long samples;

    /** Adds a line of this process. */
    void add(String process, Event event) {
        time(process, event, Event.FROM);
        time(process, event, Event.TO);
        switch (event.kind()) {
            case "begin" -> processes.add(process);
            case "end" -> ended.add(process);
            case "attempt" -> keys.addAll(event.keys());
            case "granted" -> grant(process, event);
            case "refused" -> refuse(process, event);
            case "write" -> writes.add(GuardedWrite.of(process, event));
            case "acquired", "given back" -> report(process, event);
            case "leads" -> lead(process, event);
            case "unexpected" -> unexpected.add(process + ": " + event.text(Event.OUTCOME));
            default -> addToLease(process, event);
        }
    }

    private void time(String process, Event event, String name) {
        if (event.has(name)) {
            times.computeIfAbsent(process, first -> new LongSummaryStatistics()).accept(event.number(name));
        }
    }

    /** A report may come before the work begins or after, and also of a lease whose work never begins. */
    private void report(String process, Event event) {
        String identity = identity(process, event);
        reports.computeIfAbsent(identity, first -> new ArrayList<>()).add(event);
        Held lease = byIdentity.get(identity);
        if (lease != null) {
            lease.add(event);
        }
    }

    private void lead(String process, Event event) {
        samples++;
        if (event.number(Event.LEADS) == 1) {
            leading.add(new Leading(process, event.text(Event.KEYS), event.number(Event.FROM), event.number(Event.TO)));
        }
        if (event.has(Event.TOKEN)) {
            addToLease(process, event);
        }
    }

    private void grant(String process, Event event) {
        Held lease = new Held(process, event);
        reports.getOrDefault(identity(process, event), List.of()).forEach(lease::add);
        keys.addAll(lease.keys());
        leases.add(lease);
        byIdentity.put(identity(process, event), lease);
    }

    private void refuse(String process, Event event) {
        if (event.text(Event.OUTCOME).equals("already ran")) {
            alreadyRan.add(
                    new AlreadyRan(process, event.text(Event.KEYS), event.text(Event.RUN), event.number(Event.TO)));
        }
    }

    private void addToLease(String process, Event event) {
        Held lease = byIdentity.get(identity(process, event));
        if (lease == null) {
            throw new IllegalArgumentException("No grant before " + event + " in the history of " + process);
        }
        samples += event.kind().equals("sample") ? 1 : 0;
        lease.add(event);
    }

    /** Tokens are unique for each key only. */
    private static String identity(String process, Event event) {
        return process + " " + event.text(Event.KEYS) + " " + event.number(Event.TOKEN);
    }

    /** Adds a row of the table of leases. */
    void addItem(Event row) {
        items.put(
                row.text(Event.KEY), new Item(row.has(Event.TOKEN) ? row.number(Event.TOKEN) : 0, !row.has("version")));
    }

    /** Adds a row of the referee's log. */
    void addEntry(Event row) {
        log.computeIfAbsent(row.text(Event.KEY), key -> new ArrayList<>())
                .add(new Entry(row.number("position"), row.number(Event.TOKEN), row.text(Event.ID)));
    }

    List<Held> leases() {
        return leases;
    }

    /** Returns the leases of each key, in no order. */
    Map<String, List<Held>> leasesByKey() {
        Map<String, List<Held>> byKey = new TreeMap<>();
        leases.forEach(lease -> lease.keys()
                .forEach(key ->
                        byKey.computeIfAbsent(key, first -> new ArrayList<>()).add(lease)));
        return byKey;
    }

    List<GuardedWrite> writes() {
        return writes;
    }

    List<Leading> leading() {
        return leading;
    }

    List<AlreadyRan> alreadyRan() {
        return alreadyRan;
    }

    List<String> unexpected() {
        return unexpected;
    }

    Set<String> processes() {
        return processes;
    }

    /** Returns the processes that ended by themselves. The others were killed. */
    Set<String> ended() {
        return ended;
    }

    /** Returns all keys that a call named. */
    Set<String> keys() {
        return keys;
    }

    /** Returns the referee's log by key, in no order. */
    Map<String, List<Entry>> log() {
        return log;
    }

    Map<String, Item> items() {
        return items;
    }

    /** Returns the sum of the times from the first to the last line of each process. */
    Duration processTime() {
        return Duration.ofNanos(times.values().stream()
                .mapToLong(time -> time.getMax() - time.getMin())
                .sum());
    }

    long samples() {
        return samples;
    }
}
