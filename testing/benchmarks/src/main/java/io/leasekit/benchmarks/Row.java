package io.leasekit.benchmarks;

import java.util.List;

/** One row of the table: a measurement of all contenders in the same run. */
interface Row {

    /** Returns the name that selects the row. */
    String name();

    /** Returns the title of the table. */
    String title();

    List<Result> run(Lab lab, Options options) throws Exception;
}
