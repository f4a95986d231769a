package io.leasekit.requests;

import io.leasekit.internal.BriefLock;
import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.requests.Line.Wanted;
import io.leasekit.store.StoreRequest;
import io.leasekit.time.EngineTime;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of requests in flight, so that a slow table gets fewer requests instead of more (protocol 8). A
 * caller creates its request only after it gets permission to send, so the times in the request are recent.
 *
 * <p>The limit follows additive increase and multiplicative decrease (Jacobson, "Congestion Avoidance and Control",
 * 1988).
 *
 * <p>If a halved limit does not make replies faster, the network is slow, not the table. On a slow network, the limiter
 * restores an earlier limit, and treats the longer duration as normal.
 *
 * <p>All kinds of requests share the limit. Urgent renewals come first, and then the kind with the fewest writes since
 * requests began to wait. Thread-safe.
 */
@Internal
public final class RequestLimiter {

    public static final int FIRST_IN_FLIGHT = 16;

    /** So few requests in flight cannot be the cause of slow replies. */
    private static final int FEW = 2;

    /** The time between two probes while all requests fail, in nanoseconds. */
    private static final long PROBE = EngineTime.SECOND / 4;

    private final RequestRules rules;
    private final EngineTime time;
    private final IntSupplier mostTogether;
    private final BiConsumer<Place, List<Wanted>> begin;
    private final BriefLock lock = new BriefLock(); // guards the fields below
    private final Map<Kind, Line> lines = new EnumMap<>(Kind.class);
    // The number of lines whose requests wait for permission.
    private int waiting;
    private int collecting;
    // The requests in flight, except requests that still hang from an outage that has ended.
    private final Set<Place> inFlight = new HashSet<>();
    private double bound = FIRST_IN_FLIGHT;
    private long decreased;
    private long trip;
    // The shortest duration of a request since the limiter last judged the network to be slow.
    private long usual = Long.MAX_VALUE / 2;
    private @Nullable Trial trial;
    private long writesInFlight;
    private int failedInARow;
    private long nextProbe;
    private boolean probing;
    private boolean passing;

    /** The kind of a request, which selects its queue. */
    public enum Kind {
        RENEWAL,
        RELEASE,
        ACQUIRE,
        /** Reads of items, and writes that only mark a process as waiting. */
        LOOK
    }

    /** The outcome of a request, as far as it affects the limit. */
    enum Ending {
        /** The table answered, for example with a refusal, a conflict or a rejection, or the request was never sent. */
        ANSWERED,
        /** The request failed with an error that does not indicate an overloaded table. */
        FAILED,
        /** The request timed out or was throttled. */
        CONGESTED
    }

    private record Passed(Place place, List<Wanted> wanted) {}

    RequestLimiter(
            RequestRules rules, EngineTime time, IntSupplier mostTogether, BiConsumer<Place, List<Wanted>> begin) {
        this.rules = rules;
        this.time = time;
        this.mostTogether = mostTogether;
        this.begin = begin;
        this.decreased = time.nanos();
        for (Kind kind : Kind.values()) {
            lines.put(kind, new Line(kind));
        }
    }

    /** Permission to send one request. The request counts towards the limit until {@link #end} is called. */
    final class Place {
        private final Line line;
        // The value that RequestLimiter.nextProbe got when this place was taken.
        private final long nextProbe;
        private long sent;
        // The number of requests in flight, including this request, when this request was sent.
        private int inFlightThen;
        private int writes;
        private boolean used;

        private Place(Line line, long nextProbe) {
            this.line = line;
            this.nextProbe = nextProbe;
        }

        Kind kind() {
            return line.kind;
        }

        void use(int writes) {
            lock.run(() -> {
                used = true;
                sent = time.nanos();
                this.writes = writes;
                inFlightThen = inFlight.size();
                writesInFlight += writes;
                line.writes += writes - 1;
            });
        }

        /** Only the first call of {@code end} has an effect. */
        void end(Ending ending) {
            if (ended(this, ending)) {
                pass();
            }
        }

        void endUnlessUsed() {
            if (!used) {
                end(Ending.ANSWERED);
            }
        }
    }

    @Nullable
    Place enterIfRoom(Kind kind) {
        return lock.get(() -> waiting == 0 && hasRoom() ? take(line(kind)) : null);
    }

    /** A request that need not wait begins at once, on the calling thread. */
    void add(Kind kind, Wanted wanted) {
        lock.run(() -> line(kind).add(wanted));
        ask(line(kind));
    }

    /** Runs the step, and then sends the renewals that the step has added, in batches. */
    public void together(Runnable step) {
        lock.run(() -> collecting++);
        try {
            step.run();
        } finally {
            lock.run(() -> collecting--);
            ask(line(Kind.RENEWAL));
        }
    }

    private void ask(Line line) {
        for (Passed next = enter(line); next != null; next = enter(line)) {
            begin.accept(next.place, next.wanted);
        }
    }

    private @Nullable Passed enter(Line line) {
        return lock.get(() -> {
            boolean isCollecting = collecting > 0 && line.kind == Kind.RENEWAL;
            if (line.isOpen || line.isEmpty() || isCollecting) {
                return null;
            }
            if (waiting == 0 && hasRoom()) {
                return pass(line);
            }
            beginSharing(line);
            line.isOpen = true;
            waiting++;
            waitForProbe();
            return null;
        });
    }

    private Passed pass(Line line) {
        Passed passed = new Passed(take(line), line.take(mostTogether.getAsInt(), time, trip, rules));
        if (line.isOpen && line.isEmpty()) {
            line.isOpen = false;
            waiting--;
        }
        return passed;
    }

    // ---- waiting renewals

    /** Returns how many more renewals fit into the last batch of the waiting renewals. */
    public int room() {
        return lock.get(() -> Math.floorMod(-line(Kind.RENEWAL).size(), mostTogether.getAsInt()));
    }

    /** Returns whether the waiting renewals and one more renewal fit into one batch. */
    public boolean areFew() {
        return lock.get(() -> line(Kind.RENEWAL).size() < StoreRequest.Batch.MAX_COMMANDS);
    }

    /** Returns whether renewals wait so long that a new lease might not be renewed in time. */
    public boolean areLate(long now) {
        return lock.get(() -> {
            Wanted first = line(Kind.RENEWAL).first();
            return first != null && rules.isLate(first.end() - now, first.ttl());
        });
    }

    private boolean isUrgent(Line renewals) {
        Wanted first = renewals.first();
        return renewals.isOpen && first != null && rules.isUrgent(first.end() - time.nanos(), first.ttl());
    }

    // ---- permissions

    /** Returns permission to send a request that must not wait, even if the limit is reached. */
    Place extra(Kind kind) {
        return lock.get(() -> take(line(kind)));
    }

    /** Returns the average duration of recent requests, in nanoseconds. */
    public long trip() {
        return lock.get(() -> trip);
    }

    private void pass() {
        if (!beginPassing()) {
            // Another call of this method runs the loop below, and that call sees the free place.
            return;
        }
        for (Passed next = nextToPass(); next != null; next = nextToPass()) {
            Passed passed = next;
            Quietly.run(() -> begin.accept(passed.place, passed.wanted));
        }
    }

    private boolean beginPassing() {
        return lock.get(() -> {
            boolean first = !passing;
            passing = true;
            return first;
        });
    }

    private @Nullable Passed nextToPass() {
        return lock.get(() -> {
            if (waiting == 0 || !hasRoom()) {
                passing = false;
                waitForProbe();
                return null;
            }
            return pass(choose());
        });
    }

    private Line choose() {
        Line chosen = line(Kind.RENEWAL);
        if (isUrgent(chosen)) {
            return chosen;
        }
        for (Line line : lines.values()) {
            boolean isNext = !chosen.isOpen || line.writes < chosen.writes;
            chosen = line.isOpen && isNext ? line : chosen;
        }
        return chosen;
    }

    /** A kind of request gains no priority from a time without requests. */
    private void beginSharing(Line line) {
        if (waiting == 0) {
            lines.values().forEach(one -> one.writes = 0);
        } else {
            line.writes = Math.max(line.writes, fewestWrites());
        }
    }

    private long fewestWrites() {
        return lines.values().stream()
                .filter(line -> line.isOpen)
                .mapToLong(line -> line.writes)
                .min()
                .orElse(0);
    }

    private Line line(Kind kind) {
        return Objects.requireNonNull(lines.get(kind), "kind");
    }

    private boolean hasRoom() {
        return isBelowBound() && (!rules.areProbes(failedInARow) || time.nanos() - nextProbe >= 0);
    }

    private boolean isBelowBound() {
        return inFlight.size() < (int) bound;
    }

    private void waitForProbe() {
        if (waiting > 0 && rules.areProbes(failedInARow) && isBelowBound() && !probing) {
            Quietly.run(() -> {
                time.schedule(Math.max(1, nextProbe - time.nanos()), this::probe);
                probing = true;
            });
        }
    }

    private void probe() {
        lock.run(() -> probing = false);
        pass();
    }

    private Place take(Line line) {
        nextProbe = time.nanos() + PROBE;
        line.writes++;
        Place place = new Place(line, nextProbe);
        inFlight.add(place);
        return place;
    }

    private boolean ended(Place place, Ending ending) {
        return lock.get(() -> {
            if (!inFlight.contains(place)) {
                return false;
            }
            if (place.used) {
                if (ending == Ending.ANSWERED && rules.areProbes(failedInARow)) {
                    endOutage(place);
                }
                failedInARow = ending == Ending.ANSWERED ? 0 : failedInARow + 1;
                adapt(place, ending);
                writesInFlight -= place.writes;
            } else if (nextProbe == place.nextProbe) {
                // This place sent no request, so the next waiting request may be the probe at once.
                nextProbe = time.nanos();
            }
            return inFlight.remove(place);
        });
    }

    /** Requests that still hang from an outage do not show that the table is slow, so the limit ignores them. */
    private void endOutage(Place answered) {
        inFlight.removeIf(one -> {
            boolean hangs = one.used && one.sent - answered.sent < 0;
            writesInFlight -= hangs ? one.writes : 0;
            return hangs;
        });
        trip = time.nanos() - answered.sent;
    }

    /** Ignores errors that do not indicate an overloaded table, such as refused credentials or a broken connection. */
    private void adapt(Place place, Ending ending) {
        if (ending == Ending.FAILED) {
            return;
        }
        boolean congested = ending == Ending.CONGESTED;
        long took = time.nanos() - place.sent;
        trip += (took - trip) / 8;
        usual = congested ? usual : Math.min(usual, took);
        // A request that was sent before the last decrease shows nothing about the present limit.
        boolean isOfTrial = place.sent - decreased >= 0;
        if (trial != null && isOfTrial) {
            trial.onReply(took);
        }
        boolean slow = rules.isSlow(took, usual);
        if (slow && !congested && place.inFlightThen <= FEW) {
            usual = took;
        } else if (slow || congested) {
            if (isOfTrial && (congested || trial == null || trial.replies >= bound)) {
                decrease(took, congested);
            }
        } else if (waiting > 0 || !isBelowBound()) {
            bound = rules.boundAfter(bound, false);
        }
    }

    private void decrease(long took, boolean congested) {
        Trial before = congested ? null : trial;
        double halved = rules.boundAfter(bound, true);
        if (before != null && before.showsASlowPath(halved < bound)) {
            trial = null;
            // If the bound is already the minimum, the limiter does not restore an earlier bound.
            bound = halved < bound ? Math.max(bound, before.most) : bound;
            usual = before.quickest;
        } else {
            double most = before == null ? bound : Math.max(before.most, bound);
            trial = congested ? null : new Trial(most, took, writesInFlight);
            bound = halved;
        }
        decreased = time.nanos();
    }

    /** Observes whether replies become faster after a slow reply has halved the limit. */
    private final class Trial {
        private final double most;
        private final long took;
        private final long writes;
        private int replies;
        private long quickest = Long.MAX_VALUE;

        private Trial(double most, long took, long writes) {
            this.most = most;
            this.took = took;
            this.writes = writes;
        }

        private void onReply(long duration) {
            replies++;
            quickest = Math.min(quickest, duration);
        }

        /** If {@code canBeFewer} is false, the limit is at its minimum, so the number of writes need not fall. */
        private boolean showsASlowPath(boolean canBeFewer) {
            boolean fewer = canBeFewer ? 4 * writesInFlight <= 3 * writes : writesInFlight <= writes;
            return fewer && !rules.isQuicker(quickest, took);
        }
    }
}
