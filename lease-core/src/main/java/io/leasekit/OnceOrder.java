package io.leasekit;

/**
 * The order in which the named runs of a key are completed ({@link LeaseRequest#once(String, OnceOrder)}). Completed
 * runs are recorded differently for each value of this enum. After a change of a key's order, runs that were completed
 * before the change may be executed again.
 */
public enum OnceOrder {
    /**
     * Runs may be completed in any order. Each completed run is recorded in a separate item, whose key consists of the
     * lease's key, {@code #run=} and the run's name. Each write of the lease is a transaction of two items: the lease's
     * item and the run's item.
     */
    ANY,
    /**
     * Runs are completed in growing order: the name of each run is larger than the name of the previous run. Names are
     * compared byte by byte, so a later date in the form {@code 2026-11-21} is larger than an earlier date. The lease's
     * item records the name of the last completed run. A run whose name is smaller than the recorded name counts as
     * done, even if it was never executed. Runs in growing order need no additional items and no transactions.
     */
    GROWING
}
