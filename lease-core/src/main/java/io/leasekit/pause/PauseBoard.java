package io.leasekit.pause;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.log.LineLimit;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Renewals;
import io.leasekit.requests.RequestLimiter;
import io.leasekit.requests.Requests;
import io.leasekit.store.StoreReply;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pauses as this manager last read them (protocol 5.11). One read serves all acquires at a time. After a failed
 * read, the last pauses stay, and the next one may follow after a second. Thread-safe.
 */
@Internal
public final class PauseBoard {

    /** The age from which the pauses are read again before they count, unless reads fail. */
    public static final long MAX_AGE = 5 * SECOND;

    static final String KEY = Checks.PAUSES_ITEM;

    private static final Logger log = LoggerFactory.getLogger(PauseBoard.class);
    private static final long RETRY = SECOND;
    private static final long BETWEEN_WARNINGS = 60 * SECOND;
    private static final long PATIENCE = 5 * SECOND; // longer than it takes to notice an outage of the table

    private final boolean enabled;
    private final PauseOrder order;
    private final Requests requests;
    private final BoundedClock clock;
    private final Renewals renewals;
    private final LineLimit lines;
    private final AtomicReference<@Nullable Shown> shown = new AtomicReference<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> reading = new AtomicReference<>();
    private final AtomicLong nextWarning;
    private volatile boolean ignoring; // lines of the last text
    private volatile boolean warned; // and the pauses have not been read since
    private volatile long failingSince; // if the last read failed

    /**
     * The result of the last read.
     *
     * @param since the monotonic time of its sending, or of its failure
     * @param epoch the clock's epoch at its sending
     * @param failed whether it failed; if so, the pauses come from an earlier read
     * @param read whether the pauses were ever read
     */
    private record Shown(List<LeasePause> pauses, long since, int epoch, boolean failed, boolean read) {

        boolean isNewerThan(@Nullable Shown last) {
            return last == null || since - last.since >= 0 || epoch != last.epoch;
        }
    }

    /** A board that is not enabled reads nothing and shows no pause. */
    public PauseBoard(
            boolean enabled,
            PauseOrder order,
            Requests requests,
            BoundedClock clock,
            Renewals renewals,
            EngineTime time,
            LineLimit lines) {
        this.enabled = enabled;
        this.order = order;
        this.requests = requests;
        this.clock = clock;
        this.renewals = renewals;
        this.lines = lines;
        this.nextWarning = new AtomicLong(time.nanos());
    }

    /** Returns whether this manager obeys pauses. */
    public boolean isEnabled() {
        return enabled;
    }

    /** Returns whether the pauses must be read before an acquire is sent. */
    public boolean isOld() {
        Shown last = shown.get();
        if (last == null) {
            return true;
        }
        long age = clock.now() - last.since; // first, because it notices a jump
        return last.epoch != clock.epoch() || (last.failed ? age >= RETRY : order.isOld(age));
    }

    /** Reads the pauses, then runs the step, also after a failure. */
    public void read(Runnable then) {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> current = reading.compareAndExchange(null, fresh);
        (current == null ? fresh : current).thenRun(then);
        if (current == null) {
            try {
                send(fresh);
            } catch (Throwable e) { // no thread can be started, for example: the next caller tries again
                reading.set(null);
                throw e;
            }
        }
    }

    private void send(CompletableFuture<Void> read) {
        requests.atOnce(RequestLimiter.Kind.LOOK, request -> {
            int epoch = clock.epoch();
            request.read(KEY, reply -> {
                try {
                    saw(reply, epoch);
                } finally { // an error must not end all further reads
                    reading.set(null);
                    renewals.together(() -> read.complete(null));
                }
            });
        });
    }

    private void saw(Requests.Reply reply, int epoch) {
        if (reply.outcome() instanceof StoreReply.Found found) {
            show(PauseText.of(found.item()), reply.sent(), epoch);
        } else {
            Shown before = shown.getAndUpdate(last -> new Shown(
                    last == null ? List.of() : last.pauses, reply.at(), epoch, true, last != null && last.read));
            if (before == null || !before.failed) {
                failingSince = reply.at();
            }
            warn(before != null && before.read, Text.why(reply.failure().cause()));
        }
    }

    /**
     * Warns if reads have failed for some time: only once until the pauses can be read again, and at most once a
     * minute. An outage of the table is logged by the manager.
     */
    private void warn(boolean readBefore, String why) {
        String text =
                "Pauses cannot be read, so " + (readBefore ? "those read last stay" : "none is") + " in effect: {}";
        long now = clock.now();
        long next = nextWarning.get();
        boolean lasts = now - failingSince >= PATIENCE;
        boolean due = lasts && !warned && !lines.isOut() && now - next >= 0;
        if (due && nextWarning.compareAndSet(next, now + BETWEEN_WARNINGS)) {
            warned = true;
            Quietly.run(() -> log.warn(text, why));
        } else {
            Quietly.run(() -> log.debug(text, why));
        }
    }

    /** Processes the text of the item; a request sent at this time has read or written it. */
    void show(@Nullable String text, long sent, int epoch) {
        Shown next = new Shown(PauseText.pauses(text), sent, epoch, false, true);
        Shown before = shown.getAndUpdate(last -> next.isNewerThan(last) ? next : last);
        warnOfIgnored(text);
        if (before != null && before.failed && next.isNewerThan(before) && warned) {
            warned = false;
            Quietly.run(() -> log.info("Pauses can be read again"));
        }
    }

    private void warnOfIgnored(@Nullable String text) {
        boolean ignores = ignores(text);
        if (ignores && !ignoring) {
            lines.warn(
                    () -> log.warn("The item '" + KEY + "' was changed by another writer: pauses beyond the limits of"
                            + " Leasekit are ignored, and the next change of the pauses removes them"));
        }
        ignoring = ignores;
    }

    /** Returns whether this text has lines that are ignored, or pauses that end too late. */
    boolean ignores(@Nullable String text) {
        BoundedClock.Interval now = clock.at(clock.now());
        return PauseText.ignores(text) || PauseText.pauses(text).stream().anyMatch(pause -> isTooFar(pause, now));
    }

    private static boolean isTooFar(LeasePause pause, BoundedClock.@Nullable Interval now) {
        return now != null && PauseRules.isTooFar(pause, Instant.ofEpochMilli(now.latest() / MILLI));
    }

    /** Returns a pause of one of these keys that has not ended, as last read; {@code null}: there is none. */
    public @Nullable LeasePause pauseOf(Collection<String> keys) {
        Shown last = shown.get();
        if (last == null || last.pauses.isEmpty()) {
            return null;
        }
        BoundedClock.Interval now = clock.at(clock.now());
        return last.pauses.stream()
                .filter(pause -> keys.stream().anyMatch(pause::covers))
                .filter(pause -> isPaused(pause, now))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the pause if it was read recently, or if the last read, not long ago, failed. An older pause may have been lifted:
     * in that case, the pauses are read again, then the step is run, and {@code null} is returned.
     */
    public @Nullable LeasePause recentPauseOf(Collection<String> keys, Runnable onRead) {
        LeasePause pause = pauseOf(keys);
        if (pause == null || !isOld()) {
            return pause;
        }
        read(onRead);
        return null;
    }

    private boolean isPaused(LeasePause pause, BoundedClock.@Nullable Interval now) {
        return order.isPaused(untilNanos(pause), now) && !isTooFar(pause, now);
    }

    private static long untilNanos(LeasePause pause) {
        return pause.until().toEpochMilli() * MILLI;
    }

    /** Returns the pauses that have not ended. */
    List<LeasePause> current(List<LeasePause> pauses) {
        BoundedClock.Interval now = clock.at(clock.now());
        return pauses.stream().filter(pause -> isPaused(pause, now)).toList();
    }

    /** Returns when a paused acquire asks again: at the end of the pause, or when the pauses are read again. */
    public long nanosUntilNext(LeasePause pause) {
        long now = clock.now();
        Shown last = shown.get();
        long young = last == null ? 0 : last.since + MAX_AGE - now;
        BoundedClock.Interval time = clock.at(now);
        long left = time == null ? MAX_AGE : untilNanos(pause) - time.earliest() + MILLI;
        return Math.max(MILLI, Math.min(young, left));
    }
}
