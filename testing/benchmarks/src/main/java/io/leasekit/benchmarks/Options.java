package io.leasekit.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Options of a benchmark run.
 *
 * @param rows names of the rows; empty for all
 * @param contenders words of the contender names; empty for all
 * @param quick whether only to check that the rows work
 * @param output directory of the results
 */
record Options(List<String> rows, List<String> contenders, boolean quick, Path output) {

    static Options ofSystemProperties() {
        return new Options(
                list("benchmarks"),
                list("benchmarks.contenders"),
                Boolean.getBoolean("benchmarks.quick"),
                Path.of(System.getProperty("benchmarks.output", "target/benchmarks")));
    }

    private static List<String> list(String property) {
        return Arrays.stream(System.getProperty(property, "all").split(","))
                .map(String::trim)
                .filter(word -> !word.isEmpty() && !word.equals("all"))
                .toList();
    }

    List<Contender> chosen(List<Contender> among) {
        return Contender.chosen(among, contenders);
    }

    int scale(int full, int quickly) {
        return quick ? quickly : full;
    }
}
