package io.leasekit;

/**
 * The order of the names of a key's runs ({@link LeaseRequest#once(String, OnceOrder)}). Each order records completed
 * runs in a different way. So after a change of the order, completed runs may be executed again.
 */
public enum OnceOrder {
    /**
     * Any order. Each completed run has an item of its own, whose key consists of the lease's key, {@code #run=} and
     * the run's name. Each write covers the lease's item and the run's item in one transaction.
     */
    ANY,
    /**
     * Growing order: each name is larger than the name before, compared byte by byte, like dates of the form
     * {@code 2026-11-21}. The lease's item records the last completed run, and all earlier names count as done, too.
     * This order needs no additional item and no transaction.
     */
    GROWING
}
