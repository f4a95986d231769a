package io.leasekit.storm;

import java.util.List;

/** A promise of Leasekit that the judge checks. Rules have no state. */
interface Rule {

    /** Returns each violation as a text for people; empty if the promise was kept. */
    List<String> violations(Evidence evidence);
}
