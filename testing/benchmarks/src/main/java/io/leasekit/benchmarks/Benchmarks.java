package io.leasekit.benchmarks;

import java.util.List;

/**
 * Runs the rows and writes their results. System properties: {@code benchmarks} (comma-separated names of rows; all if
 * not set), {@code benchmarks.contenders} (words of contender names), {@code benchmarks.leases} (numbers of locks for
 * the rows that hold many of them), {@code benchmarks.quick} ({@code true} only checks that the rows work) and
 * {@code benchmarks.output} (a directory).
 */
public final class Benchmarks {

    private static final List<Row> ROWS = List.of(
            new UncontendedRow(),
            new AnnotatedRow(),
            new ThreadsRow(),
            new ProcessesRow(1),
            new ProcessesRow(3),
            new HeldRow(),
            new SlowStoreRow(),
            new ColdStartRow(),
            new OutageRow(),
            new LatencyRow(),
            new MemoryRow(),
            new OverheadRow(),
            new StartUpRow(),
            new CostRow());

    private Benchmarks() {}

    /** Runs the selected rows. */
    public static void main(String[] args) throws Exception {
        Options options = Options.ofSystemProperties();
        List<Row> rows = ROWS.stream().filter(options::selects).toList();
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("No row has this name, expected some of "
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
