package io.leasekit.engine;

import io.leasekit.LeaseLossReason;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.ReleaseCommand;
import io.leasekit.tenure.Tenure;
import io.leasekit.time.EngineTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Several processes and one table in virtual time, on one thread and from one seed, so a schedule can be repeated.
 * Faults of all kinds are injected, and the promises of the protocol are checked after each step. The method is
 * FoundationDB's (Zhou et al., 2021).
 */
final class Simulation {

    static final long START = 1_800_000_000L * EngineTime.SECOND;
    static final long SHORTEST_TTL = 10 * EngineTime.SECOND;

    private static final long SECOND = EngineTime.SECOND;
    private static final long SLOW_PHASE = 40 * SECOND;
    private static final long LONGEST_TTL = SHORTEST_TTL + 4 * SECOND;
    private static final long LONGEST_HEALING = 3_600 * SECOND;
    private static final long RUN_KEPT = 399 * 86_400 * SECOND;
    private static final long LIMIT_SEEN = 10 * SECOND; // the uncertainty of the clock and the token's 2 s
    private static final int TRACE = 120;
    private static final int MOST_STEPS_AT_ONE_TIME = 10_000;

    /** A broken promise of the protocol. */
    static final class Broken extends AssertionError {
        private static final long serialVersionUID = 1L;

        Broken(String what) {
            super(what);
        }
    }

    private record Event(long time, long order, Runnable task) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(time, other.time);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    /** One key of a lease that was granted, whether or not it is still held. */
    private static final class Past {
        private final String key;
        private final UUID tenure;
        private final long token;
        private boolean released;

        Past(HeldLease lease, String ofKey) {
            key = ofKey;
            tenure = lease.tenure();
            token = lease.fencingToken();
        }
    }

    private final SimVariant variant;
    private final SimPermits permits; // of one key, whose slots are the keys of this schedule, or none
    private final boolean tracing;
    private final long seed;
    private final @Nullable Consumer<String> recorder; // of requests; null: none
    private final RandomGenerator random;
    private final SimFaults faults;
    private final boolean crowded;
    private final boolean recordingRuns; // in few schedules, because such leases are not handed over or deleted
    private final boolean slow;
    private final long slowTrip; // one way, in every second phase, however little is sent; 0: as quick as ever
    private final boolean denyingBatches;
    private final SimForce force = new SimForce(this);
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<String> trace = new ArrayDeque<>();
    private final InMemoryLeaseStore table;
    private final List<String> keys;
    private final List<SimProcess> processes = new ArrayList<>();
    private final List<SimCrate> crates = new ArrayList<>();
    private final List<SimBody> holders = new ArrayList<>(); // those whose lease is checked in the present step
    private final Map<String, UUID> tenures = new HashMap<>(); // versions that were read, because each step reads them
    private final List<Past> past = new ArrayList<>();
    private final Map<String, Long> largestToken = new HashMap<>();
    private final Map<String, Kept> kept = new HashMap<>();
    private long now = START;
    private long stepBegan = START;
    private long order;
    private long outUntil;
    private final SimExtensions extensions;
    private final SimWatch watches;
    private final SimPause pauses;
    private final SimRuns runs = new SimRuns(this);
    private final SimProgress progress;
    private boolean healing;
    private @Nullable Broken broken;
    private int steps;
    private int stepsAtThisTime;

    private Simulation(long seed, SimVariant variant, int permits, boolean tracing) {
        this(seed, variant, permits, tracing, null);
    }

    private Simulation(
            long seed, SimVariant variant, int permits, boolean tracing, @Nullable Consumer<String> recorder) {
        this.seed = seed;
        this.recorder = recorder;
        this.variant = variant;
        this.permits = new SimPermits(this, permits);
        this.tracing = tracing;
        this.random = new SplittableRandom(seed);
        this.extensions = new SimExtensions(this, seed);
        this.watches = new SimWatch(this, seed);
        this.pauses = new SimPause(this, seed);
        this.progress = new SimProgress(this, seed);
        this.slowTrip = slowTrip(new SplittableRandom(31 * seed)); // so the other schedules stay as they are
        this.faults = random.nextInt(8) == 0 ? SimFaults.none() : SimFaults.draw(random);
        this.crowded = random.nextInt(3) == 0;
        this.recordingRuns = random.nextInt(3) == 0;
        this.table = new InMemoryLeaseStore(new TableClock());
        this.keys = permits == 0 ? drawKeys() : this.permits.slots();
        this.slow = holdsMany() && random.nextBoolean();
        this.denyingBatches = holdsMany() && random.nextInt(5) == 0;
        int count = 2 + random.nextInt(2);
        for (int i = 1; i <= count; i++) {
            processes.add(new SimProcess(this, faults, i));
        }
        if (faults.crates() && permits == 0) {
            crates.add(new SimCrate(this));
        }
    }

    private static long slowTrip(SplittableRandom random) {
        return random.nextInt(6) == 0 ? SECOND / 5 + random.nextLong(SECOND / 2) : 0;
    }

    private List<String> drawKeys() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> List.of("a", "b");
            case 2 -> List.of("a", "b", "c");
            case 3 -> List.of("a", "b", "c", "d", "e", "f", "g", "h");
            default -> List.of("a");
        };
    }

    private final class TableClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochSecond(now / SECOND, now % SECOND);
        }
    }

    /**
     * Runs one schedule.
     *
     * @return the number of steps
     * @throws Broken if a promise was broken, with the trace and the command that repeats it
     */
    static int run(long seed, int steps, SimVariant variant) {
        return run(seed, steps, variant, 0);
    }

    /** Runs one schedule of a key with so many permits, as {@link #run(long, int, SimVariant)} does. */
    static int run(long seed, int steps, SimVariant variant, int permits) {
        try {
            return new Simulation(seed, variant, permits, false).run(steps);
        } catch (Broken e) {
            throw new Broken(replay(seed, steps, variant, permits, e));
        }
    }

    /** Runs one schedule for some time of the simulation, and reports each request when it is sent and evaluated. */
    static void record(long seed, long nanos, int permits, Consumer<String> recorder) {
        Simulation world = new Simulation(seed, SimVariant.RIGHT, permits, false, recorder);
        world.start();
        while (world.events.element().time - START < nanos) { // and no event after it, whatever that is
            world.step();
        }
    }

    private static String replay(long seed, int steps, SimVariant variant, int permits, Broken first) {
        Simulation again = new Simulation(seed, variant, permits, true);
        try {
            again.run(steps);
            return first.getMessage() + " (not repeatable: the engine depends on something outside the simulation)";
        } catch (Broken e) {
            return e.getMessage() + "\nseed " + seed + ", steps " + steps + ", permits " + permits + ", " + again.faults
                    + "\n"
                    + String.join("\n", again.trace)
                    + "\nrepeat with: ./mvnw -pl lease-core -am test -Dtest=SimulationTest -Dleasekit.simulation.seed="
                    + seed
                    + " -Dleasekit.simulation.steps=" + steps;
        }
    }

    private int run(int limit) {
        start();
        while (steps < limit) {
            step();
        }
        heal();
        return steps;
    }

    private void start() {
        processes.forEach(SimProcess::startBodies);
        crates.forEach(SimCrate::start);
        pauses.begin();
        later(SECOND, this::misfortune);
        if (faults.removal() != SimFaults.Removal.NEVER) {
            removeExpiredAt(now + SECOND);
        }
        if (keys.size() > 1 && random.nextBoolean()) {
            later(SECOND, this::releaseByForce);
        }
    }

    private void step() {
        steps++;
        Event event = events.remove();
        stepsAtThisTime = event.time > now ? 0 : stepsAtThisTime + 1;
        if (stepsAtThisTime > MOST_STEPS_AT_ONE_TIME) {
            throw new Broken("Time stands still: " + stepsAtThisTime + " steps at one moment");
        }
        now = Math.max(now, event.time);
        stepBegan = now;
        event.task.run();
        if (recorder == null) {
            check();
        }
        if (broken != null) {
            throw broken;
        }
    }

    /** Ends all faults, then checks that every waiter gets its lease. */
    private void heal() {
        log(() -> "faults end");
        healing = true;
        crates.forEach(SimCrate::stop);
        permits.onHealed();
        pauses.onHealed();
        long deadline = now + LONGEST_HEALING;
        while (processes.stream().anyMatch(SimProcess::hasAHungryBody) || permits.goesOn()) {
            if (now > deadline) {
                throw new Broken("A waiter gets no lease in an hour without faults");
            }
            step();
        }
    }

    // ---- faults

    private void misfortune() {
        if (healing) {
            return;
        }
        SimProcess victim = processes.get(random.nextInt(processes.size()));
        switch (random.nextInt(7)) {
            case 0 -> {
                if (faults.pauses()) {
                    victim.stop(random.nextLong(30 * SECOND), false);
                }
            }
            case 1 -> {
                if (faults.suspends()) {
                    victim.stop(random.nextLong(60 * SECOND), true);
                }
            }
            case 2 -> {
                if (faults.kills()) {
                    victim.kill();
                }
            }
            case 3 -> {
                if (faults.closes()) {
                    victim.closeInOrder();
                }
            }
            case 4 -> {
                if (faults.wallClocks()) {
                    victim.jumpWallClock(random.nextLong(-4_000, 4_000) * SECOND);
                }
            }
            case 5 -> {
                if (faults.outages()) {
                    outUntil = now + random.nextLong(20 * SECOND);
                }
            }
            default -> {
                // nothing
            }
        }
        later(random.nextLong(8 * SECOND), this::misfortune);
    }

    /** Goes by the planned time: after a pause within a process, copies that were due earlier are applied first. */
    private void removeExpiredAt(long time) {
        at(time, () -> {
            for (String key : keys) {
                LeaseItem item = item(key);
                if (item != null && isExpired(item, time - spared(item))) {
                    log(() -> "item TTL removes " + item);
                    table.remove(key);
                    runs.onRemoved(item);
                }
            }
            removeExpiredAt(Math.max(now, time) + random.nextLong(SECOND));
        });
    }

    /**
     * Returns for how long an expired item stays. Copies of requests arrive within a ttl. A lease with a hold limit ends
     * sooner, but item TTL takes minutes, so no copy of an earlier acquire finds the item removed.
     */
    private static long spared(LeaseItem item) {
        Long millis = item.durationMillis();
        return millis != null && millis * EngineTime.MILLI < SHORTEST_TTL ? SHORTEST_TTL : 0;
    }

    private void releaseByForce() {
        if (!healing) {
            force.release(
                    randomKey(random),
                    processes.get(random.nextInt(processes.size())).way());
            later(random.nextLong(20 * SECOND), this::releaseByForce);
        }
    }

    /** A crate's client may believe in its lease for a second longer, because its clock may be wrong by that. */
    private boolean isExpired(LeaseItem item, long time) {
        long grace = item.durationMillis() == null ? SECOND : 0;
        Long removable = item.removableFrom();
        return removable != null && removable * SECOND + grace < time;
    }

    /** Sometimes lets time pass between two lines of a process. */
    void mayPassTime(SimProcess process) {
        if (recorder == null && faults.pauses() && !healing && random.nextInt(1_500) == 0) {
            long pause = random.nextLong(4 * SECOND);
            log(() -> process + " pauses between two lines for " + Duration.ofNanos(pause));
            now += pause;
        }
    }

    // ---- for processes, networks and crates

    /**
     * Returns the random numbers of a part of the schedule. All parts share them, unless requests are recorded: then one more
     * timer or request leaves the other parts as they are.
     */
    RandomGenerator random(String part, long number) {
        return recorder == null ? random : new SplittableRandom((seed * 31 + part.hashCode()) * 1_000_003 + number);
    }

    void record(Supplier<String> line) {
        if (recorder != null) {
            recorder.accept(line.get());
        }
    }

    SimForce force() {
        return force;
    }

    SimVariant variant() {
        return variant;
    }

    FeatureRules rules(EngineTime time) {
        return variant.rules().apply(time);
    }

    InMemoryLeaseStore table() {
        return table;
    }

    @Nullable
    LeaseItem item(String key) {
        return table.item(key).orElse(null);
    }

    String randomKey(RandomGenerator by) {
        return keys.get(by.nextInt(keys.size()));
    }

    /** Returns the number of permits of the key; 0 if leases are exclusive. */
    int permits() {
        return permits.number();
    }

    /** Returns one key, or several in any order. Of three keys, two may overlap with another two. */
    List<String> randomKeys(RandomGenerator by) {
        if (permits() > 0) {
            return List.of("a");
        }
        if (keys.size() == 1 || by.nextBoolean() || (holdsMany() && by.nextInt(4) != 0)) {
            return List.of(randomKey(by));
        }
        List<String> several = new ArrayList<>(keys);
        Collections.rotate(several, by.nextInt(several.size()));
        return several.subList(0, 2 + by.nextInt(several.size() - 1));
    }

    long now() {
        return now;
    }

    /** Returns when the present step began: time passes within a step while its process pauses between two lines. */
    long stepBegan() {
        return stepBegan;
    }

    long elapsed() {
        return now - START;
    }

    /** Whether bodies want a key so often that there is always a waiter. */
    boolean isCrowded() {
        return crowded;
    }

    /** Whether there are so many keys that a process holds several leases, with renewals that fall due together. */
    /** Whether bodies name and record runs. */
    boolean recordsRuns() {
        return recordingRuns;
    }

    boolean holdsMany() {
        return keys.size() > 3;
    }

    /** Whether requests take so long that few may be in flight, so that those that begin together wait for their turns. */
    boolean isSlow() {
        return slow && !healing;
    }

    /** Returns how long a request or a reply is under way at least. */
    long trip() {
        boolean isOnSlowPath = now() / SLOW_PHASE % 2 == 1;
        return isSlow() ? SECOND / 4 : isOnSlowPath ? Math.max(EngineTime.MILLI, slowTrip) : EngineTime.MILLI;
    }

    /** Whether the table rejects batches and no other requests. */
    boolean isDenyingBatches() {
        return denyingBatches;
    }

    boolean isHealing() {
        return healing;
    }

    boolean isOut() {
        return now < outUntil && !healing;
    }

    void at(long time, Runnable task) {
        events.add(new Event(Math.max(now, time), order++, task));
    }

    private void later(long delay, Runnable task) {
        at(now + delay, task);
    }

    void log(Supplier<String> line) {
        if (tracing) {
            if (trace.size() == TRACE) {
                trace.removeFirst();
            }
            trace.addLast(String.format("%10.3f ", elapsed() / 1e9) + line.get());
        }
    }

    /** Returns the date of a reply: cut to the second, up to half a second old, with servers up to 0.4 s apart. */
    Instant date(long maybeOff, RandomGenerator by) {
        long spread = (by.nextBoolean() ? 1 : -1) * SECOND / 5;
        long cached = by.nextLong(SECOND / 2);
        long off = !healing && by.nextInt(6) == 0 ? maybeOff : 0;
        return Instant.ofEpochSecond((now + spread - cached + off) / SECOND);
    }

    // ---- promises

    /** A lease that keeps its keys until this time after its release. */
    private record Kept(HeldLease lease, long until) {

        Kept later(Kept other) {
            return other.until > until ? other : this;
        }
    }

    void onGranted(SimBody body, HeldLease lease) {
        log(() -> body.process() + " granted " + lease.fencedKeys() + " token " + lease.fencingToken() + " "
                + lease.tenure());
        lease.fencedKeys().forEach(key -> onGranted(key, lease));
    }

    private void onGranted(String key, HeldLease lease) {
        long largest = largestToken.getOrDefault(key, 0L);
        if (lease.isValid() && lease.fencingToken() <= largest) {
            fail("Token of " + key + " does not grow: " + lease.fencingToken() + " after " + largest);
        }
        Kept keeping = kept.get(key);
        boolean isKept = keeping != null && now < keeping.until() && !force.hasTouched(keeping.lease());
        if (isKept && lease.isValid()) { // a caller that was stopped gets its lease when it is over
            fail(key + " is granted before the end of a hold: " + lease);
        }
        largestToken.merge(key, lease.fencingToken(), Math::max);
        past.add(new Past(lease, key));
        if (past.size() > 12) {
            past.remove(0);
        }
    }

    void onLost(SimBody body, HeldLease lease, LeaseLossReason reason) {
        log(() -> body.process() + " lost " + lease.fencedKeys() + " token " + lease.fencingToken() + ": " + reason);
        boolean refused = reason == LeaseLossReason.TAKEN || reason == LeaseLossReason.REVOKED;
        if (refused && lease.fencedKeys().stream().allMatch(key -> isIn(lease.tenure(), item(key)))) {
            fail("Lease reported " + reason + " although the table shows it as held: " + lease.fencedKeys());
        }
        boolean expired = reason == LeaseLossReason.EXPIRED && !body.isPassive();
        if ((refused || expired) && faults.areHarmless() && !force.hasTouched(lease)) {
            fail("Lease lost (" + reason + ") although no fault prevented its renewal");
        }
        if (reason == LeaseLossReason.EXPIRED && extensions.isPromised(lease) && !faults.badDates()) {
            fail("Lease expired before the end of its extension: " + lease);
        }
    }

    /** Fails the schedule from within a callback, where an exception would end up in a future. */
    void fail(String what) {
        if (broken == null) {
            broken = new Broken(what);
        }
    }

    void onReleased(HeldLease lease) {
        log(() -> "release of " + lease.fencedKeys() + " token " + lease.fencingToken());
    }

    /**
     * Returns whether the table shows that another owner has acquired a key of the lease, so the lease is over. After a jump
     * of a clock its holder may not know that.
     */
    boolean isTaken(HeldLease lease) {
        boolean mayBeUnknown = faults.suspends() || faults.wallClocks() || faults.badDates() || force.hasTouched(lease);
        return !mayBeUnknown
                && lease.fencedKeys().stream()
                        .map(this::item)
                        .anyMatch(item -> item != null && item.token() != null && item.token() > lease.fencingToken());
    }

    /**
     * Checks that a released lease blocks no process: the table no longer shows it, or it has expired. If a release
     * removed the item with its token, a late copy of the acquire may have brought the lease back.
     */
    void onReleaseDone(SimBody body, HeldLease lease) {
        for (String key : lease.fencedKeys()) {
            LeaseItem item = item(key);
            boolean held = isIn(lease.tenure(), item) && item != null && item.expiry() != null;
            if (held && faults.isGuarded() && !faults.badDates() && item.expiry() * SECOND > now) {
                fail(body + " has completed its release, but the table shows the lease: " + item);
            }
        }
    }

    /** Notes a release at this true time with a cooldown; {@code exact}: nothing else prolongs a short one. */
    void onKept(SimBody body, HeldLease lease, long begun, long cooldown, long remaining, boolean exact) {
        long end = begun + cooldown;
        if (faults.badDates() || force.hasTouched(lease)) {
            return;
        }
        boolean isShort = end < lease.fencingToken() * EngineTime.MILLI; // so its item cannot express it
        boolean isStable = faults.areHarmless() && !faults.kills() && !faults.closes();
        boolean isWritten = isStable && remaining > 2 * SECOND;
        long tolerated = isShort ? SECOND / 100 : 3 * SECOND; // a long hold is a whole second by an uncertain clock
        if (isShort ? remaining > cooldown : isWritten) {
            Kept keeping = new Kept(lease, end - tolerated);
            lease.fencedKeys().forEach(key -> kept.merge(key, keeping, Kept::later));
        }
        if (isShort && isStable && exact && remaining > cooldown) {
            long patience = 3 * SECOND + 4 * slowTrip;
            at(end + patience, () -> lease.fencedKeys().forEach(key -> checkShortHold(body, lease, key)));
        }
    }

    /** Checks that the release of a short hold followed at its end. */
    private void checkShortHold(SimBody body, HeldLease lease, String key) {
        LeaseItem item = item(key);
        boolean isItsHold =
                item != null && item.version() != null && item.token() != null && item.token() == lease.fencingToken();
        if (isItsHold && !force.hasTouched(lease)) {
            fail("Short hold of " + body.process() + " lasts too long: " + item);
        }
    }

    void onReleaseApplied(ReleaseCommand command, @Nullable LeaseItem before) {
        checkRun(command, before);
        progress.onReleaseApplied(command, before);
        UUID tenure = Tenure.tenureOf(command.own().first());
        past.stream()
                .filter(lease -> lease.tenure.equals(tenure) && lease.key.equals(command.key()))
                .forEach(lease -> lease.released = true);
    }

    /** Checks that a release which is no hold keeps the record of a run, its own or an earlier one. */
    private void checkRun(ReleaseCommand command, @Nullable LeaseItem before) {
        boolean hadRun = before != null && before.records().has(ItemRun.NAME);
        boolean addsRun = command.edits().sets().has(ItemRun.NAME);
        if ((hadRun || addsRun) && !(command.form() instanceof ReleaseCommand.Hold)) {
            LeaseItem item = item(command.key());
            Long removable = item == null ? null : item.removableFrom();
            if (removable == null || removable * SECOND < now + RUN_KEPT) {
                fail("Run of " + before + " is forgotten: " + item);
            }
        }
    }

    private void check() {
        holders.clear();
        for (SimProcess process : processes) {
            for (SimBody body : process.bodies()) {
                if (body.lease() != null) {
                    holders.add(body);
                }
            }
        }
        for (String key : keys) {
            checkExclusion(key);
            checkItem(key);
        }
        if (permits() > 0) {
            permits.check(processes.stream()
                    .flatMap(process -> process.bodies().stream())
                    .toList());
        }
        if (faults.isGuarded()) {
            checkGuard();
        }
    }

    private void checkExclusion(String key) {
        SimBody first = null;
        for (SimBody body : holders) {
            HeldLease lease = body.lease();
            if (lease == null || !lease.fencedKeys().contains(key) || random.nextInt(3) == 0) {
                continue;
            }
            long before = now; // time may pass while the body looks
            boolean believes = body.believes();
            if (believes) {
                checkCovered(body, lease, key);
                checkLimit(body, lease, key, before);
            }
            if (believes || (body.wasPromised() && !faults.badDates())) {
                if (first != null) {
                    throw new Broken("Two hold " + key + ": " + first + " and " + body);
                }
                first = body;
            }
        }
        for (SimCrate crate : crates) {
            if (first != null && crate.believes(key)) {
                throw new Broken("Two hold " + key + ": " + first + " and a crate's client");
            }
        }
    }

    /** Checks that the table does not end a lease before its validity for the holder. */
    private void checkCovered(SimBody body, HeldLease lease, String key) {
        long end = now + (long) (body.process().trueNanos(lease.remaining().toNanos()) * 0.998);
        if (force.covers(lease, key, end)) {
            return;
        }
        LeaseItem item = item(key);
        if (item != null && item.token() != null && item.token() != lease.fencingToken()) {
            throw new Broken(body + " has a valid lease with a token that the table does not show: " + item);
        }
        if (!isIn(lease.tenure(), item)) {
            throw new Broken(body + " has a valid lease that the table does not show: " + item);
        }
        if (item == null || item.expiry() == null || item.expiry() * SECOND < end) {
            throw new Broken(body + " has a lease that is valid beyond its expiry in the table: " + item);
        }
        checkWrittenToAll(body, lease, item);
    }

    /** Checks that a hold limit, or the ttl of a passive lease, ends it for its holder and soon in the table. */
    private void checkLimit(SimBody body, HeldLease lease, String key, long looked) {
        boolean suspended = faults.suspends(); // the monotonic clock stopped, and DynamoDB's time has an uncertainty
        if (looked - (suspended ? LIMIT_SEEN : 0) > body.endsBefore()) {
            throw new Broken(body + " has a lease that is valid beyond its end");
        }
        LeaseItem item = item(key);
        boolean ends = item != null && item.expiry() != null && isIn(lease.tenure(), item);
        if (ends && !faults.badDates() && item.expiry() * SECOND - LIMIT_SEEN > body.endsBefore()) {
            throw new Broken("Item outlives the end of " + body + ": " + item);
        }
    }

    /** Checks that all keys of a lease show the same write. */
    private void checkWrittenToAll(SimBody body, HeldLease lease, LeaseItem one) {
        for (String key : lease.fencedKeys()) {
            LeaseItem other = item(key);
            if (isIn(lease.tenure(), other) && other != null && !Objects.equals(one.version(), other.version())) {
                throw new Broken(body + " has a lease that was not written to all its keys: " + one + ", " + other);
            }
        }
    }

    private boolean isIn(UUID tenure, @Nullable LeaseItem item) {
        String version = item == null ? null : item.version();
        if (version == null) {
            return false;
        }
        if (tenures.size() > 100) {
            tenures.clear();
        }
        return tenure.equals(tenures.computeIfAbsent(version, Tenure::tenureOf));
    }

    /** Checks that no orphan outlives its ttl, and that no item expires before its token. */
    private void checkItem(String key) {
        LeaseItem item = item(key);
        if (item == null || item.token() == null || item.expiry() == null || faults.badDates()) {
            return;
        }
        if (item.expiry() * 1_000 < item.token()) {
            throw new Broken("Item expires before its token: " + item);
        }
        boolean held = item.version() != null && item.releasedAtMillis() == null;
        long longest = extensions.any() ? SimExtensions.LONGEST : LONGEST_TTL;
        if (held && item.expiry() * SECOND > now + longest + 10 * SECOND) {
            throw new Broken("Item outlives its ttl: " + item);
        }
    }

    /** Checks that a guarded write is refused once its lease is released or another lease has a larger token. */
    private void checkGuard() {
        for (Past lease : past) {
            if (!lease.released && lease.token >= largestToken.get(lease.key)) {
                continue;
            }
            LeaseItem item = item(lease.key);
            if (item != null && variant.guard().accepts(item, lease.token, lease.tenure)) {
                throw new Broken("Guard lets a stale holder write: token " + lease.token + ", " + item);
            }
        }
    }

    SimPause pauses() {
        return pauses;
    }

    SimProgress progress() {
        return progress;
    }

    SimRuns runs() {
        return runs;
    }

    SimWatch watches() {
        return watches;
    }

    List<SimBody> bodies() {
        return processes.stream().flatMap(process -> process.bodies().stream()).toList();
    }

    SimExtensions extensions() {
        return extensions;
    }

    SimFaults faults() {
        return faults;
    }
}
