package io.leasekit.benchmarks;

import java.util.Map;

/**
 * One line of the results.
 *
 * @param row name of the row
 * @param setting the setting of this measurement, such as the round trip
 * @param contender the measured library
 * @param settings the settings of the library
 * @param values the measured values, by name with unit
 * @param requests the requests that the proxy counted; {@code <operation>!} counts those answered with an error
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
