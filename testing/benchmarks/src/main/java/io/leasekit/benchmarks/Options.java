package io.leasekit.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Options of a benchmark run.
 *
 * @param rows names of the rows; empty for all
 * @param contenders words of the contender names; empty for all
 * @param leases numbers of locks for the rows that hold many of them; empty for those of the row
 * @param quick whether only to check that the rows work
 * @param output directory of the results
 */
record Options(List<String> rows, List<String> contenders, List<Integer> leases, boolean quick, Path output) {

    static Options ofSystemProperties() {
        return new Options(
                list("benchmarks"),
                list("benchmarks.contenders"),
                list("benchmarks.leases").stream().map(Integer::valueOf).toList(),
                Boolean.getBoolean("benchmarks.quick"),
                Path.of(System.getProperty("benchmarks.output", "target/benchmarks")));
    }

    private static List<String> list(String property) {
        return Arrays.stream(System.getProperty(property, "all").split(","))
                .map(String::trim)
                .filter(word -> !word.isEmpty() && !word.equals("all"))
                .toList();
    }

    /** Returns whether the row was selected; its name may be given with hyphens instead of spaces. */
    boolean selects(Row row) {
        return rows.isEmpty()
                || rows.contains(row.name())
                || rows.contains(row.name().replace(' ', '-'));
    }

    /** Returns the numbers of locks to measure. */
    List<Integer> leases(List<Integer> full, int quickly) {
        if (!leases.isEmpty()) {
            return leases;
        }
        return quick ? List.of(quickly) : full;
    }

    List<Contender> chosen(List<Contender> among) {
        return Contender.chosen(among, contenders);
    }

    int scale(int full, int quickly) {
        return quick ? quickly : full;
    }
}
