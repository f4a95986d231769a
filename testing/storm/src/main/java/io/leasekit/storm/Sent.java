package io.leasekit.storm;

import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseCommand;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.store.RenewCommand;
import io.leasekit.store.VersionRange;
import org.jspecify.annotations.Nullable;

/** The event {@code sent} of a command, with all that its condition and its effect depend on. */
final class Sent {

    static final String VERB = "verb";
    static final String VERSION = "version";
    static final String EXPIRY = "expiry";
    static final String DURATION = "duration";
    static final String FREE_BELOW = "below";
    static final String DEAD = "dead";
    static final String OWN = "own";
    static final String OVER = "over";

    private Sent() {}

    static Event of(LeaseCommand command) {
        Event event = Event.of("sent");
        if (command instanceof AcquireCommand acquire) {
            return acquire(event.with(VERB, "acquire"), acquire);
        } else if (command instanceof RenewCommand renew) {
            return range(event.with(VERB, "renew"), OWN, renew.own())
                    .with(VERSION, renew.version())
                    .with(EXPIRY, renew.expiry())
                    .with(DURATION, renew.durationMillis());
        } else if (command instanceof ReleaseCommand release && release.form() instanceof ReleaseCommand.Retain kept) {
            Event ranges = range(event.with(VERB, "release"), OWN, release.own());
            return range(ranges, OVER, release.predecessor()).with(EXPIRY, kept.expiry());
        }
        return event.with(VERB, command.getClass().getSimpleName()); // no caller of a storm does so
    }

    private static Event acquire(Event event, AcquireCommand acquire) {
        if (acquire.freeBelow() != null) {
            event.with(FREE_BELOW, acquire.freeBelow());
        }
        if (acquire.deadVersion() != null) {
            event.with(DEAD, acquire.deadVersion());
        }
        Event ranges = range(range(event, OWN, acquire.own()), OVER, acquire.predecessor());
        return ranges.with(VERSION, acquire.version())
                .with(EXPIRY, acquire.expiry())
                .with(DURATION, acquire.durationMillis())
                .with(Event.TOKEN, acquire.token());
    }

    /** Adds both ends of a range. */
    private static Event range(Event event, String name, @Nullable VersionRange range) {
        return range == null ? event : event.with(name, range.first()).with(name + "Last", range.last());
    }
}
