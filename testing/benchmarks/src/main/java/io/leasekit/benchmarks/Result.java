package io.leasekit.benchmarks;

import java.util.Map;

/**
 * One line of the results.
 *
 * @param row which row of the table
 * @param setting what the row was run with, as its round trip
 * @param contender who
 * @param settings with which settings
 * @param values what was measured, by name with its unit
 * @param requests what the proxy counted; {@code <operation>!}: answered with an error
 */
record Result(
        String row,
        String setting,
        String contender,
        String settings,
        Map<String, Object> values,
        Map<String, Long> requests) {

    static Result of(String row, String setting, Contender who, Map<String, Object> values, WireCounts counts) {
        return new Result(row, setting, who.title(), who.settings(), values, counts.requests());
    }
}
