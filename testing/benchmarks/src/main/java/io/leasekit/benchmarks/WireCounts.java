package io.leasekit.benchmarks;

import java.util.Map;
import java.util.TreeMap;

/**
 * Requests seen by the proxy.
 *
 * @param inFlight number of requests that are not answered yet
 * @param requests number of requests by operation; {@code <operation>!} counts those among them that were answered with
 *     an error, such as a refused condition
 */
record WireCounts(int inFlight, Map<String, Long> requests) {

    WireCounts {
        requests = new TreeMap<>(requests);
    }

    WireCounts since(WireCounts before) {
        Map<String, Long> more = new TreeMap<>();
        requests.forEach((operation, count) -> {
            long difference = count - before.requests.getOrDefault(operation, 0L);
            if (difference != 0) {
                more.put(operation, difference);
            }
        });
        return new WireCounts(inFlight, more);
    }

    WireCounts plus(WireCounts other) {
        Map<String, Long> sum = new TreeMap<>(requests);
        other.requests.forEach((operation, count) -> sum.merge(operation, count, Long::sum));
        return new WireCounts(0, sum);
    }

    static WireCounts none() {
        return new WireCounts(0, Map.of());
    }

    long total() {
        return requests.entrySet().stream()
                .filter(entry -> !entry.getKey().endsWith("!"))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
