package io.leasekit.benchmarks;

import java.util.List;

/**
 * Runs the rows and writes their results. System properties: {@code benchmarks} (names of rows, by commas; all without),
 * {@code benchmarks.contenders} (words of contenders' names), {@code benchmarks.quick} ({@code true}: only whether it works) and
 * {@code benchmarks.output} (a directory).
 */
public final class Benchmarks {

    private static final List<Row> ROWS = List.of(
            new UncontendedRow(),
            new AnnotatedRow(),
            new ThreadsRow(),
            new ProcessesRow(),
            new HeldRow(),
            new MemoryRow(),
            new OverheadRow(),
            new StartUpRow(),
            new CostRow());

    private Benchmarks() {}

    /** Runs them. */
    public static void main(String[] args) throws Exception {
        Options options = Options.ofSystemProperties();
        List<Row> rows = ROWS.stream()
                .filter(row -> options.rows().isEmpty() || options.rows().contains(row.name()))
                .toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("No row is named so, expected some of "
                    + ROWS.stream().map(Row::name).toList());
        }
        Report report = new Report(options);
        try (Lab lab = Lab.start()) {
            for (Row row : rows) {
                report.add(row, row.run(lab, options));
            }
        }
        System.out.println("Written to " + report.directory());
    }
}
