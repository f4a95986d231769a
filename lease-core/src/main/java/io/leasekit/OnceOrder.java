package io.leasekit;

/**
 * The order of the names of a key's runs ({@link LeaseRequest#once(String, OnceOrder)}). Each order remembers its runs in its own
 * way, so after a change of the order, runs that were done before may be executed again.
 */
public enum OnceOrder {
    /**
     * Any order. Each completed run is remembered by an item of its own, whose key is the lease's key, {@code #run=}
     * and the run's name. Each write covers both items in one transaction.
     */
    ANY,
    /**
     * Growing order: each name is larger than the one before, compared byte by byte, like dates of the form {@code
     * 2026-11-21}. Only the last completed run is remembered, and all runs up to it count as done. This order needs no
     * additional item and no transaction.
     */
    GROWING
}
