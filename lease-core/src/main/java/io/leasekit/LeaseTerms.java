package io.leasekit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request with the manager's settings filled in; times in nanoseconds.
 *
 * @param keys the keys of all its items: the lease's, in most cases one, and that of its run's item, if there is one
 * @param meterName what to call it in meters; {@code null}: nothing
 * @param ttl how long one grant or renewal lasts
 * @param heartbeatInterval how long after one renewal was sent the next one is
 * @param waitFor how long to wait while another holds the lease
 * @param holdAtLeast how long others are kept from the key after the acquire
 * @param cooldown how long others are kept from the key after the release
 * @param holdAtMost for how long the lease is renewed
 * @param once the name of the run that it is for; {@code null}: for none in particular
 * @param runKey the key of the item that remembers the run: the first of the lease's, or one of its own
 */
record LeaseTerms(
        List<String> keys,
        @Nullable String meterName,
        long ttl,
        long heartbeatInterval,
        long waitFor,
        long holdAtLeast,
        long cooldown,
        long holdAtMost,
        @Nullable String once,
        String runKey) {

    /** About 73 years: longer than anything waits, and safe to add to a time. */
    private static final long FOREVER = Long.MAX_VALUE / 4;

    static LeaseTerms of(LeaseRequest request, LeaseSettings settings) {
        Duration ttl = request.ttl() == null ? settings.ttl() : request.ttl();
        Duration heartbeat = request.heartbeatInterval();
        if (heartbeat != null) {
            Checks.heartbeat(heartbeat, ttl, request.key());
        }
        boolean ownItem = request.once() != null && request.onceOrder() == OnceOrder.ANY;
        String runKey = ownItem ? request.key() + Checks.RUN_MARK + request.once() : request.key();
        return new LeaseTerms(
                ownItem ? with(request.keys(), runKey) : request.keys(),
                request.name(),
                nanos(ttl),
                heartbeat == null ? Math.min(nanos(settings.heartbeatInterval()), nanos(ttl) / 3) : nanos(heartbeat),
                nanos(request.waitFor()),
                nanos(request.holdAtLeast()),
                nanos(request.cooldown()),
                request.holdAtMost() == null ? FOREVER : nanos(request.holdAtMost()),
                request.once(),
                runKey);
    }

    private static List<String> with(List<String> keys, String another) {
        List<String> all = new ArrayList<>(keys);
        all.add(another);
        return List.copyOf(all);
    }

    static long nanos(Duration duration) {
        return duration.toSeconds() >= FOREVER / LeaseRules.SECOND ? FOREVER : duration.toNanos();
    }

    /** Makes one thing for each key; in most cases there is one, for which a stream would cost more than the thing. */
    static <T> List<T> forEach(List<String> keys, Function<String, T> made) {
        return keys.size() == 1
                ? List.of(made.apply(keys.get(0)))
                : keys.stream().map(made).toList();
    }

    /** The key, of several the first. */
    String key() {
        return keys.get(0);
    }

    /** The keys that the lease was asked for. */
    List<String> leaseKeys() {
        return hasRunItem() ? keys.subList(0, keys.size() - 1) : keys;
    }

    private boolean hasRunItem() {
        return keys.size() > 1 && Checks.isRunItem(keys.get(keys.size() - 1));
    }

    /** The run whose being done keeps this item from being acquired; {@code null}: none does. */
    @Nullable
    String onceOf(String key) {
        return key.equals(runKey) ? once : null;
    }

    boolean isGroup() {
        return keys.size() > 1;
    }

    /** The keys as texts show them. */
    String name() {
        return Text.quoteAll(leaseKeys());
    }

    boolean holds() {
        return holdAtLeast > 0 || cooldown > 0;
    }
}
