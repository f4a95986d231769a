package io.leasekit.engine;

import io.leasekit.time.EngineTime;
import java.util.random.RandomGenerator;

/**
 * The faults of one schedule, drawn from its seed. Each kind is off in many schedules, so no fault hides the effect of
 * another one.
 *
 * @param lost share of requests that are never delivered
 * @param duplicated share of requests of which a second copy is delivered later
 * @param delayed share of requests that are delivered late
 * @param replyLost share of replies that are lost after the write
 * @param resent share of requests that the SDK retries with the same bytes
 * @param refusedBefore share of requests that fail unapplied: throttling, transaction conflict, refused connection
 * @param serverError share of requests answered with an error although they may have been applied
 * @param outages whether the store is sometimes unreachable for a while
 * @param busySenders whether the threads that send sometimes begin late, because the SDK blocks them
 * @param pauses whether processes sometimes stop for a while
 * @param suspends whether processes sometimes stop together with their monotonic clock
 * @param kills whether processes are killed and started again
 * @param closes whether processes are closed properly and started again
 * @param wallClocks whether wall clocks are far off, drift, and jump
 * @param removal when items are removed
 * @param crates whether clients of the Rust crate write to the same table
 * @param badBy error of a server's clock, in nanoseconds; any other value than 0 is beyond what the protocol assumes
 * @param longestDelay longest time for which a copy of a request is in flight, in nanoseconds
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
        boolean busySenders,
        boolean pauses,
        boolean suspends,
        boolean kills,
        boolean closes,
        boolean wallClocks,
        Removal removal,
        boolean crates,
        long badBy,
        long longestDelay) {

    private static final long SECOND = EngineTime.SECOND;

    private static final long SHORT_DELAY = 2 * SECOND;

    /** Removal of items, and with them of their tokens. No copy of a request may be applied after it. */
    enum Removal {
        NEVER,
        /** By item TTL, as early as possible. No release leaves a short-lived item. */
        AFTER_CRASHES,
        /** By item TTL, and by releases that delete the item or hold it for a short time. */
        ALWAYS
    }

    static SimFaults none() {
        return new SimFaults(
                0,
                0,
                0,
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
                false,
                Removal.NEVER,
                false,
                0,
                SECOND / 20);
    }

    /** Few faults, but requests that overtake each other while items come and go quickly. */
    private static SimFaults crossing(RandomGenerator random) {
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
                false,
                Removal.ALWAYS,
                false,
                0,
                random.nextBoolean() ? SHORT_DELAY : 5 * SHORT_DELAY);
    }

    static SimFaults draw(RandomGenerator random) {
        if (random.nextInt(10) == 0) {
            return crossing(random);
        }
        boolean badDates =
                random.nextInt(8) == 0; // beyond what the protocol assumes: tokens of removed items are not safe
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
     * Whether guarded writes are safe. Once a release or a crate's client has removed an item with its token, a late
     * copy of an acquire can bring an ended tenure back.
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

    /** Whether none of these faults can cost a holder its lease. */
    boolean areHarmless() {
        return lost == 0
                && delayed == 0
                && replyLost == 0
                && refusedBefore == 0
                && serverError == 0
                && !outages
                && !busySenders
                && !pauses
                && !suspends
                && badBy == 0;
    }
}
