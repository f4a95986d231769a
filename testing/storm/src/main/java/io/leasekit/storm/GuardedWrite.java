package io.leasekit.storm;

/** A guarded write as its process recorded it, with the outcome that the process saw. */
record GuardedWrite(String process, String key, long token, String id, long from, long to, String outcome) {

    static final String ACCEPTED = "accepted";
    /** The check of the lease refused it. */
    static final String STALE = "stale";
    /** Another write of the item came first. */
    static final String CONFLICT = "conflict";
    /** No reply, or an error that does not tell. */
    static final String UNKNOWN = "unknown";

    static GuardedWrite of(String process, Event event) {
        return new GuardedWrite(
                process,
                event.text(Event.KEY),
                event.number(Event.TOKEN),
                event.text(Event.ID),
                event.number(Event.FROM),
                event.number(Event.TO),
                event.text(Event.OUTCOME));
    }
}
