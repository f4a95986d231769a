package io.leasekit.benchmarks;

import java.util.Arrays;
import java.util.Map;

/** Measured values in milliseconds. Immutable. */
final class Stats {

    private final double[] sorted;

    Stats(double[] values) {
        sorted = values.clone();
        Arrays.sort(sorted);
    }

    int size() {
        return sorted.length;
    }

    static Stats ofNanos(long[] nanos) {
        return new Stats(Arrays.stream(nanos).mapToDouble(n -> n / 1e6).toArray());
    }

    static Stats ofMicros(long[] micros) {
        return new Stats(Arrays.stream(micros).mapToDouble(n -> n / 1e3).toArray());
    }

    double at(double fraction) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        int index = (int) Math.ceil(fraction * sorted.length) - 1;
        return sorted[Math.min(sorted.length - 1, Math.max(0, index))];
    }

    double median() {
        return at(0.5);
    }

    /** Adds the median and the spread to the values, with this prefix in their names. */
    void putInto(Map<String, Object> values, String name) {
        values.put(name + " median ms", Values.round(median()));
        values.put(name + " p25 to p75 ms", Values.round(at(0.25)) + " to " + Values.round(at(0.75)));
        values.put(name + " p99 ms", Values.round(at(0.99)));
        values.put(name + " max ms", Values.round(at(1)));
    }
}
