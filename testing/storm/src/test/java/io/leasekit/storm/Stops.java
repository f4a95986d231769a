package io.leasekit.storm;

import io.leasekit.storm.Recording.Line;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The times for which processes recorded nothing, so they may have been stopped. A request that is recorded after such a
 * silence may have got its values from a clock that was read before it. Not thread-safe.
 */
final class Stops {

    /** Shorter than any stop, and longer than the threads of a process are all silent otherwise. */
    private static final long SILENCE = Duration.ofMillis(2_500).toNanos();

    /** Time within which a thread has sent what it was about to send, once the process goes on. */
    private static final long AFTER = Duration.ofMillis(500).toNanos();

    private final Map<String, NavigableSet<Long>> times = new HashMap<>();

    void add(List<Line> lines) {
        lines.forEach(line ->
                times.computeIfAbsent(line.process(), first -> new TreeSet<>()).add(line.nanos()));
    }

    /** Returns the earliest time at which the clock may have been read for this request. */
    long read(Line request) {
        NavigableSet<Long> recorded = times.getOrDefault(request.process(), new TreeSet<>());
        Long time = request.nanos();
        while (time != null && request.nanos() - time < AFTER) {
            Long before = recorded.lower(time);
            if (before != null && time - before > SILENCE) {
                return before;
            }
            time = before;
        }
        return request.nanos();
    }
}
