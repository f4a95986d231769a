package io.leasekit.benchmarks;

import java.util.List;

/** One row of the table: a question, asked of all contenders in the same run. */
interface Row {

    /** The name by which it is chosen. */
    String name();

    /** What is asked. */
    String title();

    List<Result> run(Lab lab, Options options) throws Exception;
}
