package io.leasekit.storm;

import java.util.List;
import java.util.Optional;

/**
 * A granted lease as its own process recorded it. Times are monotonic, in nanoseconds. Not thread-safe.
 *
 * <p>A sample reads the time, asks the lease for its remaining validity, and reads the time again. A positive answer
 * proves two things. The lease was valid at some instant between the readings. And its holder relied on it from then on
 * for the remaining time, counted from the first reading, unless it began a release before. Between two instants at
 * which a lease was valid, nobody else may have held the key: its tenure has not been overwritten. So the proved
 * validity is the interval from the second reading of the first positive sample to the latest end that a sample
 * promised, or to the begin of the release, whichever is earlier.
 */
final class Held {

    static final long NEVER = Long.MAX_VALUE;

    private final String process;
    private final Event grant;
    private final List<String> keys;
    private final long token;
    private long firstValid = NEVER;
    private long lastValid = Long.MIN_VALUE;
    private long promised = Long.MIN_VALUE;
    private long releaseBegun = NEVER;
    private long released = NEVER;
    private long lost = NEVER;
    private long told = NEVER;
    private long lastLed = Long.MIN_VALUE;
    private long givenBack = NEVER;
    private boolean acquired;
    private boolean expired;
    private boolean ran;

    /** Begins with the event {@code granted} of this process. */
    Held(String process, Event grant) {
        this.process = process;
        this.grant = grant;
        this.keys = grant.keys();
        this.token = grant.number(Event.TOKEN);
    }

    void add(Event event) {
        switch (event.kind()) {
            case "sample" -> sample(event);
            case "release" -> {
                releaseBegun = Math.min(releaseBegun, event.number(Event.FROM));
                ran |= event.text(Event.OUTCOME).equals("SUCCEEDED");
            }
            case "released" -> released = Math.min(released, event.number(Event.TO));
            case "lost" -> {
                lost = Math.min(lost, event.number(Event.TO));
                expired = event.text(Event.OUTCOME).equals("EXPIRED");
            }
            case "acquired" -> acquired = true;
            case "told" -> told = Math.min(told, event.number(Event.TO));
            case "leads" -> {
                if (event.number(Event.LEADS) == 1) {
                    lastLed = Math.max(lastLed, event.number(Event.FROM));
                }
            }
            case "given back" -> givenBack = Math.min(givenBack, event.number(Event.TO));
            default -> throw new IllegalArgumentException("Unknown event " + event);
        }
    }

    private void sample(Event event) {
        long left = event.number("left");
        if (left > 0) {
            firstValid = Math.min(firstValid, event.number(Event.TO));
            lastValid = Math.max(lastValid, event.number(Event.FROM));
            promised = Math.max(promised, event.number(Event.FROM) + left);
        }
    }

    String process() {
        return process;
    }

    List<String> keys() {
        return keys;
    }

    long token() {
        return token;
    }

    /** Returns the time before the call that acquired the lease. */
    long asked() {
        return grant.number(Event.FROM);
    }

    /** Returns the time after that call. */
    long granted() {
        return grant.number(Event.TO);
    }

    /** Returns the begin of the proved validity; {@link #NEVER} if no sample was positive. */
    long validFrom() {
        return firstValid;
    }

    /** Returns the end of the proved validity, which is before its begin if nothing is proved. */
    long validUntil() {
        return Math.min(promised, releaseBegun);
    }

    /** Returns the first reading of the last positive sample. */
    long lastValid() {
        return lastValid;
    }

    long releaseBegun() {
        return releaseBegun;
    }

    long lost() {
        return lost;
    }

    /**
     * Returns whether the lease was lost while its holder could still rely on it, because another owner had it or its item
     * was gone. An early expiry does not count. A reply whose {@code Date} contradicts the clock ends a lease early, since
     * the machine may have been suspended (protocol 4.2).
     */
    boolean wasTakenEarly() {
        return lost < validUntil() && !expired;
    }

    boolean hasEnded() {
        return released != NEVER || lost != NEVER || givenBack != NEVER;
    }

    /**
     * Returns the time at which the table surely showed the release; {@link #NEVER} if nothing proves it. The stage of a
     * release completes also when the lease would have expired or was lost, which proves nothing.
     */
    long surelyReleased() {
        return released <= promised && lost == NEVER ? released : NEVER;
    }

    /** Returns the name of the run that the lease was granted for. */
    Optional<String> run() {
        return grant.has(Event.RUN) ? Optional.of(grant.text(Event.RUN)) : Optional.empty();
    }

    /** Returns whether the release was begun after the run's success was recorded. */
    boolean ran() {
        return ran;
    }

    /** Returns the limit of {@code holdAtMost}; {@link #NEVER} if there is none. */
    long limit() {
        return grant.has("limit") ? grant.number("limit") : NEVER;
    }

    boolean isPermit() {
        return grant.has(Event.PERMITS);
    }

    long permits() {
        return grant.number(Event.PERMITS);
    }

    long slot() {
        return grant.number(Event.SLOT);
    }

    /** Returns whether the work of a leader ran under this lease. It returned at {@link #releaseBegun()} or later. */
    boolean isTerm() {
        return grant.has(Event.ELECTION);
    }

    /** Returns the name of the election that called the work. */
    String election() {
        return grant.text(Event.ELECTION);
    }

    /** Returns a time after the grant of a term, and before its work was called. */
    long started() {
        return grant.number(Event.STARTED);
    }

    /** Returns whether the process reported the grant. */
    boolean wasAcquired() {
        return acquired;
    }

    /** Returns a time after the work was told to stop; {@link #NEVER} if it was not. */
    long told() {
        return told;
    }

    /** Returns the first reading of the last sample within the work that said that its process leads. */
    long lastLed() {
        return lastLed;
    }

    /** Returns a time after the begin of a term's release, as its process reported it; {@link #NEVER} if it did not. */
    long givenBack() {
        return givenBack;
    }

    @Override
    public String toString() {
        return "lease " + token + " of " + process;
    }
}
