package io.leasekit;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request with the manager's settings filled in; times in nanoseconds.
 *
 * @param keys the lease's keys, in most cases one
 * @param meterName what to call it in meters; {@code null}: nothing
 * @param ttl how long one grant or renewal lasts
 * @param heartbeatInterval how long after one renewal was sent the next one is
 * @param waitFor how long to wait while another holds the lease
 * @param holdAtLeast how long others are kept from the key after the acquire
 * @param cooldown how long others are kept from the key after the release
 * @param holdAtMost for how long the lease is renewed
 */
record LeaseTerms(
        List<String> keys,
        @Nullable String meterName,
        long ttl,
        long heartbeatInterval,
        long waitFor,
        long holdAtLeast,
        long cooldown,
        long holdAtMost) {

    /** About 73 years: longer than anything waits, and safe to add to a time. */
    private static final long FOREVER = Long.MAX_VALUE / 4;

    static LeaseTerms of(LeaseRequest request, LeaseSettings settings) {
        Duration ttl = request.ttl() == null ? settings.ttl() : request.ttl();
        Duration heartbeat = request.heartbeatInterval();
        if (heartbeat == null) {
            heartbeat = shorter(settings.heartbeatInterval(), ttl.dividedBy(3));
        }
        Checks.heartbeat(heartbeat, ttl, request.key());
        return new LeaseTerms(
                request.keys(),
                request.name(),
                nanos(ttl),
                nanos(heartbeat),
                nanos(request.waitFor()),
                nanos(request.holdAtLeast()),
                nanos(request.cooldown()),
                request.holdAtMost() == null ? FOREVER : nanos(request.holdAtMost()));
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    static long nanos(Duration duration) {
        return duration.toSeconds() >= FOREVER / LeaseRules.SECOND ? FOREVER : duration.toNanos();
    }

    /** The key, of several the first. */
    String key() {
        return keys.get(0);
    }

    boolean isGroup() {
        return keys.size() > 1;
    }

    /** The keys as texts show them. */
    String name() {
        return Text.quoteAll(keys);
    }

    boolean holds() {
        return holdAtLeast > 0 || cooldown > 0;
    }
}
