package io.leasekit.requests;

import io.leasekit.internal.Internal;
import io.leasekit.internal.Quietly;
import io.leasekit.time.EngineTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests in flight, so a slow table gets fewer requests instead of more (protocol 8). A caller waits for a
 * turn and creates its request when the turn has come, so waiting costs the table nothing and no clock reading becomes
 * old.
 *
 * <p>The bound grows by one for each round of quick replies while requests wait or fill it, and is halved, at most once for each
 * round, by a timeout, by throttling and by a slow reply. This is additive increase and multiplicative decrease (V.
 * Jacobson, "Congestion Avoidance and Control", 1988). A reply is slow in comparison with the shortest one so far. If
 * replies are still as slow with clearly fewer writes in flight, the path is slow and the table is not full: the bound
 * returns to its former value, and this duration counts as normal. (The least bound leaves no room for that proof, so it only
 * grows again.) While one request after the other fails, only a few
 * are sent as probes, and the others wait. The first answer in time ends this state. The kinds of waiting requests take
 * turns, weighted by the number of their writes. Urgent renewals go before all. Thread-safe.
 */
@Internal
public final class RequestLimiter {

    /** The number of requests of one manager that may be in flight at first (protocol 8). */
    public static final int FIRST_IN_FLIGHT = 16;

    /** So many requests in flight are not the cause of a slow reply. */
    private static final int FEW = 2;

    /** The time between two requests while none succeeds. */
    private static final long PROBE = EngineTime.SECOND / 4;

    private final RequestRules rules;
    private final EngineTime time;
    private final ReentrantLock lock = new ReentrantLock(); // guards the rest
    private final Map<Kind, Line> lines = new EnumMap<>(Kind.class);
    private int waiting;
    private final Set<Place> inFlight = new HashSet<>(); // without those that were overtaken in an outage
    private double bound = FIRST_IN_FLIGHT;
    private long decreased;
    private long trip; // the average duration of requests
    private long usual = Long.MAX_VALUE / 2; // the shortest duration, anew since a slow path was noticed
    private @Nullable Trial trial; // since a slow reply has halved the bound
    private long writesInFlight;
    private int failedInARow;
    private long nextProbe; // the earliest, while nothing succeeds
    private boolean probing; // a timer is set for it
    private boolean passing;

    /** The kinds of requests, each with a line of its own. */
    public enum Kind {
        RENEWAL,
        RELEASE,
        ACQUIRE,
        /** Reads, and the mark of a waiter; not the reads of a change of the pauses. */
        LOOK
    }

    /** Something that waits for its turn. */
    interface Turn {

        /**
         * Called without a lock, on a thread that must not be blocked. The place must be used or given back.
         *
         * @return whether this waits for another turn
         */
        boolean onTurn(Place place);

        /** Returns whether this goes before all other kinds. */
        default boolean isUrgent(long now) {
            return false;
        }
    }

    private static final class Line {
        private final Kind kind;
        private final Deque<Turn> turns = new ArrayDeque<>();
        private long writes; // since a turn was first waited for

        private Line(Kind kind) {
            this.kind = kind;
        }
    }

    /** How a request ended. */
    enum Ending {
        /** Answered, also by a refusal, a conflict or a rejection; or never sent. */
        ANSWERED,
        /** By an error that does not say how busy the table is. */
        FAILED,
        /** By a timeout or by throttling. */
        CONGESTED
    }

    private record Passed(Kind kind, Turn turn, Place place) {}

    public RequestLimiter(RequestRules rules, EngineTime time) {
        this.rules = rules;
        this.time = time;
        this.decreased = time.nanos();
        for (Kind kind : Kind.values()) {
            lines.put(kind, new Line(kind));
        }
    }

    /** The place of one request in flight. */
    final class Place {
        private final Line line;
        private final long nextProbe; // as its turn has set it
        private long sent;
        private int inFlightThen; // when it was sent, this one included
        private int writes;
        private boolean used;

        private Place(Line line, long nextProbe) {
            this.line = line;
            this.nextProbe = nextProbe;
        }

        /** Notes that the request, which has this many writes, is sent now. */
        void use(int writes) {
            lock.lock();
            try {
                used = true;
                sent = time.nanos();
                this.writes = writes;
                inFlightThen = inFlight.size();
                writesInFlight += writes;
                line.writes += writes - 1;
            } finally {
                lock.unlock();
            }
        }

        /** Ends the request. Only the first call has an effect. */
        void end(Ending ending) {
            if (ended(this, ending)) {
                pass();
            }
        }

        /** Gives the place back if no request was sent with it. */
        void endUnlessUsed() {
            if (!used) {
                end(Ending.ANSWERED);
            }
        }
    }

    /** Returns a place if there is room and nobody waits; {@code null} otherwise. */
    @Nullable
    Place enterIfRoom(Kind kind) {
        lock.lock();
        try {
            return waiting == 0 && hasRoom() ? take(line(kind)) : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a place if there is room and nobody waits. Otherwise the turn is called later with one, and {@code null} is
     * returned.
     */
    @Nullable
    Place enter(Kind kind, Turn turn) {
        lock.lock();
        try {
            Line line = line(kind);
            if (waiting == 0 && hasRoom()) {
                return take(line);
            }
            beginSharing(line);
            line.turns.add(turn);
            waiting++;
            waitForProbe();
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Calls the turn as often as it asks for another one: at once on this thread if there is room and nobody waits. */
    void ask(Kind kind, Turn turn) {
        Place place = enter(kind, turn);
        while (place != null && turn.onTurn(place)) {
            place = enter(kind, turn);
        }
    }

    /** Returns a place beyond the bound, for the few requests that must not wait. */
    Place extra(Kind kind) {
        lock.lock();
        try {
            return take(line(kind));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the average duration of requests at present, in nanoseconds. */
    public long trip() {
        lock.lock();
        try {
            return trip;
        } finally {
            lock.unlock();
        }
    }

    private void pass() {
        if (!beginPassing()) {
            return; // another call passes turns and sees the new room
        }
        for (Passed next = nextToPass(); next != null; next = nextToPass()) {
            Passed passed = next;
            Quietly.run(() -> call(passed));
        }
    }

    private void call(Passed passed) {
        if (passed.turn.onTurn(passed.place)) {
            ask(passed.kind, passed.turn);
        }
    }

    private boolean beginPassing() {
        lock.lock();
        try {
            boolean first = !passing;
            passing = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next turn, with its place. If there is none, returns {@code null} and ends the passing. */
    private @Nullable Passed nextToPass() {
        lock.lock();
        try {
            if (waiting == 0 || !hasRoom()) {
                passing = false;
                waitForProbe();
                return null;
            }
            Line line = choose();
            Passed passed = new Passed(line.kind, line.turns.element(), take(line));
            line.turns.remove();
            waiting--;
            return passed;
        } finally {
            lock.unlock();
        }
    }

    private Line choose() {
        Line renewals = line(Kind.RENEWAL);
        Turn renewal = renewals.turns.peek();
        if (renewal != null && renewal.isUrgent(time.nanos())) {
            return renewals;
        }
        Line chosen = renewals;
        for (Line line : lines.values()) {
            boolean isNext = chosen.turns.isEmpty() || line.writes < chosen.writes;
            chosen = !line.turns.isEmpty() && isNext ? line : chosen;
        }
        return chosen;
    }

    /** An unused share is not saved for later, and writes while nobody waits count for no share. */
    private void beginSharing(Line line) {
        if (waiting == 0) {
            lines.values().forEach(one -> one.writes = 0);
        } else if (line.turns.isEmpty()) {
            line.writes = Math.max(line.writes, fewestWrites());
        }
    }

    private long fewestWrites() {
        return lines.values().stream()
                .filter(line -> !line.turns.isEmpty())
                .mapToLong(line -> line.writes)
                .min()
                .orElse(0);
    }

    private Line line(Kind kind) {
        return Objects.requireNonNull(lines.get(kind), "kind"); // each kind has one
    }

    private boolean hasRoom() {
        return isBelowBound() && (!rules.areProbes(failedInARow) || time.nanos() - nextProbe >= 0);
    }

    private boolean isBelowBound() {
        return inFlight.size() < (int) bound;
    }

    /** While nothing succeeds, the next waiting request is sent after a delay, if the bound leaves room. */
    private void waitForProbe() {
        if (waiting > 0 && rules.areProbes(failedInARow) && isBelowBound() && !probing) {
            Quietly.run(() -> {
                time.schedule(Math.max(1, nextProbe - time.nanos()), this::probe);
                probing = true;
            });
        }
    }

    private void probe() {
        lock.lock();
        try {
            probing = false;
        } finally {
            lock.unlock();
        }
        pass();
    }

    private Place take(Line line) {
        nextProbe = time.nanos() + PROBE;
        line.writes++;
        Place place = new Place(line, nextProbe);
        inFlight.add(place);
        return place;
    }

    /** Returns whether this call ended the place. */
    private boolean ended(Place place, Ending ending) {
        lock.lock();
        try {
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
                nextProbe = time.nanos(); // it has sent nothing, so the next in line is the probe
            }
            inFlight.remove(place);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets the requests sent before the first answered one: they hang, and say nothing about the table, which
     * answers again.
     */
    private void endOutage(Place answered) {
        inFlight.removeIf(one -> {
            boolean hangs = one.used && one.sent - answered.sent < 0;
            writesInFlight -= hangs ? one.writes : 0;
            return hangs;
        });
        trip = time.nanos() - answered.sent;
    }

    /** Some errors do not say how busy the table is, such as refused credentials or a broken connection. */
    private void adapt(Place place, Ending ending) {
        if (ending == Ending.FAILED) {
            return;
        }
        boolean congested = ending == Ending.CONGESTED;
        long took = time.nanos() - place.sent;
        trip += (took - trip) / 8;
        usual = congested ? usual : Math.min(usual, took);
        boolean isOfTrial = place.sent - decreased >= 0; // sent since the last decrease
        if (trial != null && isOfTrial) {
            trial.onReply(took);
        }
        boolean slow = rules.isSlow(took, usual);
        if (slow && !congested && place.inFlightThen <= FEW) {
            usual = took; // so few do not fill the table: the path is slow
        } else if (slow || congested) {
            if (isOfTrial && (congested || trial == null || trial.replies >= bound)) {
                decrease(took, congested);
            }
        } else if (waiting > 0 || !isBelowBound()) {
            bound = rules.boundAfter(bound, false);
        }
    }

    /** Halves the bound, or restores it if halving did not make replies faster. The least bound is left, and grows again. */
    private void decrease(long took, boolean congested) {
        Trial before = congested ? null : trial;
        double halved = rules.boundAfter(bound, true);
        if (before != null && before.showsASlowPath(halved < bound)) {
            trial = null;
            bound = halved < bound ? Math.max(bound, before.most) : bound; // fewer writes in flight could not be tried
            usual = before.quickest;
        } else {
            double most = before == null ? bound : Math.max(before.most, bound);
            trial = congested ? null : new Trial(most, took, writesInFlight);
            bound = halved;
        }
        decreased = time.nanos();
    }

    /** The replies since a slow one has halved the bound. */
    private final class Trial {
        private final double most; // the bound before the halvings
        private final long took;
        private final long writes; // in flight then
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

        /**
         * Returns whether replies are still as slow with fewer writes in flight, or with no more writes if there cannot
         * be fewer.
         */
        private boolean showsASlowPath(boolean canBeFewer) {
            boolean fewer = canBeFewer ? 4 * writesInFlight <= 3 * writes : writesInFlight <= writes;
            return fewer && !rules.isQuicker(quickest, took);
        }
    }
}
