package io.leasekit;

/** How the names of a key's runs follow each other ({@link LeaseRequest#once(String, OnceOrder)}). */
public enum OnceOrder {
    /**
     * In any order: each run that is done is remembered by an item of its own, whose key is the lease's with {@code #run=} and the
     * name behind it. Both items are written in one transaction each time.
     */
    ANY,
    /**
     * Each is larger than the one before, compared byte by byte, as dates {@code 2026-11-21} are: the last run that is done is all
     * that is remembered, and all up to it count as done. It costs no further item and no transaction.
     */
    GROWING
}
