package io.leasekit.kernel;

import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.internal.Internal;
import io.leasekit.limits.Checks;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The terms of a lease, with all times in nanoseconds.
 *
 * @param items the keys of all items that an acquire writes; the key of a separate run item comes last
 * @param atRisk the remaining validity at which the lease counts as at risk
 * @param passive whether no heartbeat renews the lease, so that the lease ends after its ttl
 * @param once the name of the requested run; {@code null} if the request names no run
 * @param permit the permit of the lease; {@code null} if the lease is no permit, or no permit has been selected yet
 */
@Internal
public record LeaseSpec(
        List<String> keys,
        List<String> items,
        @Nullable String meterName,
        long ttl,
        long atRisk,
        long heartbeatInterval,
        long waitFor,
        long holdAtLeast,
        long cooldown,
        long holdAtMost,
        boolean passive,
        @Nullable String once,
        @Nullable Permit permit,
        boolean resumable) {

    /** About 73 years, in nanoseconds: the sum of this time and a monotonic time does not overflow. */
    private static final long FOREVER = Long.MAX_VALUE / 4;

    // With the default interval, a lease reaches this fraction when two due renewals have not succeeded.
    private static final double AT_RISK_FRACTION = 1.0 / 3;

    public static LeaseSpec of(LeaseRequest request, LeaseSettings settings) {
        Duration ttl = request.ttl() == null ? settings.ttl : request.ttl();
        return new LeaseSpec(
                request.keys(),
                items(request),
                request.name(),
                nanos(ttl),
                (long) (nanos(ttl) * AT_RISK_FRACTION),
                heartbeatInterval(request, settings, ttl),
                nanos(request.waitFor()),
                nanos(request.holdAtLeast()),
                nanos(request.cooldown()),
                request.holdAtMost() == null ? FOREVER : nanos(request.holdAtMost()),
                request.isPassive(),
                request.once(),
                null,
                request.isResumable());
    }

    /**
     * One permit of a key.
     *
     * @param slot the number of the permit, from 0
     * @param of the total number of permits of the key, as the request specifies it
     * @param patience the time from the call during which the acquire is retried if the store fails or the key is
     *     paused
     */
    public record Permit(int slot, int of, long patience) {}

    /** The acquire of a permit does not wait if another owner holds the permit. */
    public LeaseSpec ofPermit(int slot, int of) {
        return new LeaseSpec(
                keys,
                List.of(slotKey(key(), slot)),
                meterName,
                ttl,
                atRisk,
                heartbeatInterval,
                0,
                0,
                0,
                holdAtMost,
                passive,
                null,
                new Permit(slot, of, waitFor),
                false);
    }

    public static String slotKey(String key, int slot) {
        return key + Checks.PERMIT_MARK + slot;
    }

    /** Returns the keys with condition checks; there are no condition checks for a separate item of the run. */
    public List<String> fencedKeys() {
        return permit == null ? keys : items;
    }

    public int slot() {
        return permit == null ? 0 : permit.slot;
    }

    @Nullable
    public Integer permits() {
        return permit == null ? null : permit.of;
    }

    /** Returns the time, counted from the call, for retries while the store fails. */
    long patience() {
        return permit == null ? waitFor : permit.patience;
    }

    private static long heartbeatInterval(LeaseRequest request, LeaseSettings settings, Duration ttl) {
        Duration interval = request.heartbeatInterval();
        if (request.isPassive()) {
            return FOREVER;
        }
        if (interval == null) {
            return Math.min(nanos(settings.heartbeatInterval()), nanos(ttl) / 3);
        }
        Checks.heartbeat(interval, ttl, request.key());
        return nanos(interval);
    }

    private static List<String> items(LeaseRequest request) {
        if (request.once() == null || request.onceOrder() == OnceOrder.GROWING) {
            return request.keys();
        }
        List<String> items = new ArrayList<>(request.keys());
        items.add(request.key() + Checks.RUN_MARK + request.once());
        return List.copyOf(items);
    }

    public static long nanos(Duration duration) {
        return duration.toSeconds() >= FOREVER / EngineTime.SECOND ? FOREVER : duration.toNanos();
    }

    /** Creates no stream for a single key, which is the usual case. */
    static <T> List<T> forEach(List<String> keys, Function<String, T> made) {
        return keys.size() == 1
                ? List.of(made.apply(keys.get(0)))
                : keys.stream().map(made).toList();
    }

    public String item() {
        return items.get(0);
    }

    public String key() {
        return keys.get(0);
    }

    /** Returns the key of the item that records the run. */
    public String runKey() {
        return items.size() > keys.size() ? items.get(items.size() - 1) : key();
    }

    @Nullable
    public String onceOf(String item) {
        return item.equals(runKey()) ? once : null;
    }

    public boolean isGroup() {
        return items.size() > 1;
    }

    public String name() {
        return Text.quoteAll(keys);
    }

    /** Returns the longest possible validity of a grant. */
    long fullClaim() {
        return Math.min(ttl, holdAtMost);
    }

    /**
     * Returns the time from the acquire until the work is asked to stop, shortly before the end of {@code holdAtMost}.
     */
    long stopAfter() {
        return holdAtMost - fullClaim() / 3;
    }

    public long firstPromise() {
        return passive ? ttl : 0;
    }

    /** Returns the time from the acquire until the latest possible end of the lease. */
    long end(long promised) {
        return passive ? Math.min(promised, holdAtMost) : holdAtMost;
    }

    /** {@code isFinal}: true if no renewal could have extended the lease. */
    LeaseLossReason reasonOfEnd(boolean isFinal, long promised) {
        return isFinal && end(promised) == holdAtMost ? LeaseLossReason.HOLD_LIMIT : LeaseLossReason.EXPIRED;
    }

    /** Rounds up, so that no process assumes a shorter duration. */
    static long millisForObservers(long nanos) {
        return -Math.floorDiv(-nanos, EngineTime.MILLI);
    }

    public boolean keepsRecords() {
        return once != null || resumable;
    }

    boolean holds() {
        return holdAtLeast > 0 || cooldown > 0;
    }
}
