package io.leasekit.storm;

/** Errors that a process can have on purpose, for the judge to find. */
enum Broken {
    /** None: the process uses Leasekit as it is. */
    NOT,
    /** Its renewals are never sent, but count as applied, so it relies on leases that have ended. */
    RENEWALS_UNSENT,
    /** Its guarded writes lack the check of the lease. */
    WRITES_UNGUARDED;
}
