package io.leasekit.engine;

import java.util.random.RandomGenerator;

/**
 * What goes wrong in one schedule, drawn from its seed: each kind is off in many schedules, so that no fault hides what
 * another one would show.
 *
 * @param lost share of requests that are never delivered
 * @param duplicated share of requests of which a second copy is delivered later
 * @param delayed share of requests that are delivered late
 * @param replyLost share of replies that are lost after the write
 * @param resent share of requests that the client sends again by itself, with the same bytes
 * @param refusedBefore share of requests that are throttled, meet a transaction conflict or a refused connection
 * @param serverError share of requests answered with an error although they may have been applied
 * @param outages whether the store is out of reach for some time now and then
 * @param pauses whether processes stop for some time
 * @param suspends whether processes stop and their monotonic clock with them
 * @param kills whether processes are killed and started again
 * @param closes whether processes are closed in good order and started again
 * @param wallClocks whether wall clocks are far off, drift, and jump
 * @param removal when items are removed
 * @param crates whether clients of another kind write to the same table
 * @param badBy how far a server's clock is off, in nanoseconds; not 0 is more than the protocol allows for
 * @param longestDelay for how long a copy may be under way, in nanoseconds
 */
record SimFaults(
        double lost,
        double duplicated,
        double delayed,
        double replyLost,
        double resent,
        double refusedBefore,
        double serverError,
        boolean outages,
        boolean pauses,
        boolean suspends,
        boolean kills,
        boolean closes,
        boolean wallClocks,
        Removal removal,
        boolean crates,
        long badBy,
        long longestDelay) {

    private static final long SECOND = LeaseRules.SECOND;

    private static final long SHORT_DELAY = 2 * SECOND;

    /** When items go, and with them their tokens: from then on no copy of a request may be applied late. */
    enum Removal {
        NEVER,
        /** By item TTL, as early as may be; no release leaves a short-lived item. */
        AFTER_CRASHES,
        /** By item TTL, and by releases that delete or hold for a short time. */
        ALWAYS
    }

    static SimFaults none() {
        return new SimFaults(
                0, 0, 0, 0, 0, 0, 0, false, false, false, false, false, false, Removal.NEVER, false, 0, SECOND / 20);
    }

    /** Little goes wrong, but requests cross each other where items come and go quickly. */
    private static SimFaults crossing() {
        return new SimFaults(
                0,
                0.1,
                0.4,
                0,
                0,
                0,
                0,
                false,
                false,
                false,
                false,
                false,
                false,
                Removal.ALWAYS,
                false,
                0,
                SHORT_DELAY);
    }

    static SimFaults draw(RandomGenerator random) {
        if (random.nextInt(10) == 0) {
            return crossing();
        }
        boolean badDates =
                random.nextInt(8) == 0; // beyond what the protocol assumes: tokens of lost items are not safe then
        Removal removal = badDates ? Removal.NEVER : Removal.values()[random.nextInt(Removal.values().length)];
        boolean crates = !badDates && random.nextInt(6) == 0;
        return new SimFaults(
                share(random),
                share(random),
                badDates ? 0 : share(random),
                share(random),
                share(random),
                share(random),
                share(random),
                random.nextInt(4) == 0,
                random.nextInt(3) == 0,
                !badDates && random.nextInt(3) == 0,
                !badDates && random.nextInt(3) == 0,
                !badDates && random.nextInt(4) == 0,
                !badDates && random.nextBoolean(),
                removal,
                crates,
                badDates ? (random.nextBoolean() ? 1 : -1) * (12 + random.nextLong(8)) * SECOND : 0,
                longestDelay(removal, crates, random));
    }

    private static long longestDelay(Removal removal, boolean crates, RandomGenerator random) {
        if (removal == Removal.NEVER && !crates) {
            return 300 * SECOND;
        }
        if (removal == Removal.AFTER_CRASHES && !crates) {
            return Simulation.SHORTEST_TTL;
        }
        return random.nextBoolean() ? SHORT_DELAY : 4 * Simulation.SHORTEST_TTL;
    }

    /**
     * Whether guarded writes are safe: where a release, or a crate's client, takes the item away with its token, a copy of an
     * acquire that comes later still can bring an ended tenure back.
     */
    boolean isGuarded() {
        boolean staysLong = removal != Removal.ALWAYS && !crates;
        return staysLong || longestDelay <= SHORT_DELAY;
    }

    boolean badDates() {
        return badBy != 0;
    }

    private static double share(RandomGenerator random) {
        return random.nextInt(3) == 0 ? random.nextDouble() * 0.3 : 0;
    }

    /** Whether a lease with a heartbeat has no excuse for being lost. */
    boolean areHarmless() {
        return lost == 0
                && delayed == 0
                && replyLost == 0
                && refusedBefore == 0
                && serverError == 0
                && !outages
                && !pauses
                && !suspends
                && badBy == 0;
    }
}
