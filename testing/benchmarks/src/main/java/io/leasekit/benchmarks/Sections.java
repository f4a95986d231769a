package io.leasekit.benchmarks;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** The critical sections of one key, sorted by the time they began; {@code permits} of them may run at once. */
record Sections(List<Section> list, int contenders, int permits) {

    Sections {
        list = list.stream().sorted(Comparator.comparingLong(Section::begun)).toList();
    }

    /** Returns the number of sections that began while the work of as many earlier ones as permits had not ended. */
    long overlaps() {
        long overlaps = 0;
        PriorityQueue<Long> ends = new PriorityQueue<>();
        for (Section section : list) {
            while (!ends.isEmpty() && ends.peek() <= section.begun()) {
                ends.remove();
            }
            overlaps += ends.size() >= permits ? 1 : 0;
            ends.add(section.ended());
        }
        return overlaps;
    }

    Stats waits() {
        return Stats.ofMicros(
                list.stream().mapToLong(s -> s.begun() - s.asked()).toArray());
    }

    /** Returns the times from the end of the work, or of its release, to the beginning of the next holder's section. */
    private Stats gaps(ToLongFunction<Section> from) {
        return Stats.ofMicros(IntStream.range(1, list.size())
                .filter(i -> list.get(i - 1).who() != list.get(i).who())
                .mapToLong(i -> list.get(i).begun() - from.applyAsLong(list.get(i - 1)))
                .toArray());
    }

    private long[] shares() {
        long[] shares = new long[contenders];
        list.forEach(section -> shares[section.who()]++);
        return shares;
    }

    Map<String, Object> values(double seconds, WireCounts counts) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("sections", list.size());
        values.put("sections a second", Values.round(list.size() / seconds));
        values.put("requests a section", Values.round(counts.total() / (double) list.size()));
        values.put("overlaps", overlaps());
        waits().putInto(values, "wait");
        values.put("wait p99 / median", Values.round(waits().at(0.99) / waits().median()));
        long[] shares = shares();
        values.put(
                "fewest : most",
                Arrays.stream(shares).min().orElse(0) + " : "
                        + Arrays.stream(shares).max().orElse(0));
        return values;
    }

    void putGapsInto(Map<String, Object> values) {
        Stats fromEnd = gaps(Section::ended);
        Stats fromRelease = gaps(Section::released);
        values.put("changes of holder", fromEnd.size());
        values.put("gap from the release's begin median ms", Values.round(fromEnd.median()));
        values.put("gap from its end median ms", Values.round(fromRelease.median()));
        values.put("gap from its end p99 ms", Values.round(fromRelease.at(0.99)));
    }
}
