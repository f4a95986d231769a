package io.leasekit;

/**
 * The order of the names of a key's runs ({@link LeaseRequest#once(String, OnceOrder)}). Each order records completed
 * runs in a different way. So if the order for a key is changed, runs that were already completed may be executed
 * again.
 */
public enum OnceOrder {
    /**
     * Any order. Each completed run is recorded in a separate item. The key of this item consists of the lease's key,
     * {@code #run=} and the run's name. Each write of a lease for such a run is a transaction of two items: the lease's
     * item and the run's item.
     */
    ANY,
    /**
     * Growing order: the name of each run is larger than the name of the previous run. Names are compared byte by byte,
     * so dates of the form {@code 2026-11-21} grow. The lease's item records the name of the last completed run. A run
     * whose name is smaller than the recorded name counts as done, even if it was never executed. Runs in growing order
     * need no additional items and no transactions.
     */
    GROWING
}
