package io.leasekit.pause;

import static io.leasekit.time.EngineTime.MILLI;
import static io.leasekit.time.EngineTime.SECOND;

import io.leasekit.LeasePause;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.limits.Checks;
import io.leasekit.log.LineLimit;
import io.leasekit.requests.BoundedClock;
import io.leasekit.requests.Gate;
import io.leasekit.requests.Requests;
import io.leasekit.requests.SharedRead;
import io.leasekit.store.StoreReply;
import io.leasekit.text.Text;
import io.leasekit.time.EngineTime;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pauses that this manager last read (protocol 5.11). After a failed read, the pauses of the last successful read
 * stay in effect. Thread-safe.
 */
@Internal
public final class PauseBoard {

    /** The pauses must be read again this many nanoseconds after a successful read. */
    public static final long MAX_AGE = 5 * SECOND;

    static final String KEY = Checks.PAUSES_ITEM;

    private static final Logger log = LoggerFactory.getLogger(PauseBoard.class);
    private static final long RETRY = SECOND;
    private static final long BETWEEN_WARNINGS = 60 * SECOND;
    // TableState notices an outage within this time, so that no second warning follows.
    private static final long PATIENCE = 5 * SECOND;

    private final boolean enabled;
    private final PauseOrder order;
    private final BoundedClock clock;
    private final SharedRead<Requests.Reply> read;
    private final LineLimit lines;
    private final AtomicReference<@Nullable Shown> shown = new AtomicReference<>();
    private final AtomicLong nextWarning;
    private volatile boolean ignoring; // whether the last text had ignored lines
    private volatile boolean warned; // whether a warning was logged since the last successful read
    private volatile long failingSince; // monotonic time of the first failed read after a success

    /**
     * The result of the last read of the pauses.
     *
     * @param pauses the pauses; if the last read failed, the pauses of the last successful read
     * @param since a monotonic time before the read was sent; if the read failed, the time of the failure
     * @param epoch the number of clock jumps in this process before the read was sent
     */
    private record Shown(List<LeasePause> pauses, long since, int epoch, boolean failed, boolean read) {

        boolean isNewerThan(@Nullable Shown last) {
            return last == null || since - last.since >= 0 || epoch != last.epoch;
        }
    }

    public PauseBoard(
            boolean enabled,
            PauseOrder order,
            Requests requests,
            BoundedClock clock,
            EngineTime time,
            LineLimit lines) {
        this.enabled = enabled;
        this.order = order;
        this.clock = clock;
        this.read = new SharedRead<>(requests);
        this.lines = lines;
        this.nextWarning = new AtomicLong(time.nanos());
    }

    public boolean isEnabled() {
        return enabled;
    }

    /**
     * Returns a gate that allows a request if {@code others} allows the request and no key of the request is paused.
     */
    public Gate with(Gate others) {
        return enabled ? new PauseGate(others) : others;
    }

    private final class PauseGate implements Gate {
        private final Gate others;

        PauseGate(Gate others) {
            this.others = others;
        }

        @Override
        public Answer ask(List<String> keys, String item) {
            return unlessPaused(keys, others.ask(keys, item));
        }

        @Override
        public @Nullable LeasePause pauseOf(List<String> keys) {
            return PauseBoard.this.pauseOf(keys);
        }
    }

    private Gate.Answer unlessPaused(List<String> keys, Gate.Answer others) {
        LeasePause pause = pauseOf(keys);
        if (isOld()) {
            // If the read fails, the acquire goes on with the pauses that were read last.
            return new Gate.Unread(receiver -> read(() -> receiver.onSynced(null, false)));
        }
        return pause != null && others instanceof Gate.Open ? new Gate.Paused(pause, nanosUntilNext(pause)) : others;
    }

    private boolean isOld() {
        Shown last = shown.get();
        if (last == null) {
            return true;
        }
        long age = clock.now() - last.since; // this line comes first, because now() can change the epoch
        return last.epoch != clock.epoch() || (last.failed ? age >= RETRY : order.isOld(age));
    }

    private void read(Runnable then) {
        read.join(this::send, reply -> then.run());
    }

    private void send(Requests.Outgoing request, Consumer<Requests.Reply> done) {
        int epoch = clock.epoch();
        request.read(KEY, reply -> {
            try {
                saw(reply, epoch);
            } finally {
                // Without this call after an error, all further reads would wait for this read.
                done.accept(reply);
            }
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

    /** Logs no warning during an outage of the table, because the manager logs the outage. */
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

    /** {@code sent}: a monotonic time before the text was read or written. */
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

    /** Returns whether Leasekit ignores a line of this text, for example a pause that ends too far in the future. */
    boolean ignores(@Nullable String text) {
        BoundedClock.Interval now = clock.at(clock.now());
        return PauseText.ignores(text) || PauseText.pauses(text).stream().anyMatch(pause -> isTooFar(pause, now));
    }

    private static boolean isTooFar(LeasePause pause, BoundedClock.@Nullable Interval now) {
        return now != null && PauseRules.isTooFar(pause, Instant.ofEpochMilli(now.latest() / MILLI));
    }

    /** Returns a pause of one of these keys, as of the last read; {@code null} if no key is paused. */
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

    /** If the last read is old and shows a pause, returns {@code null}, reads again, and then runs {@code onRead}. */
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

    List<LeasePause> current(List<LeasePause> pauses) {
        BoundedClock.Interval now = clock.at(clock.now());
        return pauses.stream().filter(pause -> isPaused(pause, now)).toList();
    }

    private long nanosUntilNext(LeasePause pause) {
        long now = clock.now();
        Shown last = shown.get();
        long young = last == null ? 0 : last.since + MAX_AGE - now;
        BoundedClock.Interval time = clock.at(now);
        long left = time == null ? MAX_AGE : untilNanos(pause) - time.earliest() + MILLI;
        return Math.max(MILLI, Math.min(young, left));
    }
}
