package io.leasekit.engine;

import io.leasekit.store.LeaseStore;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The versions that the processes of one schedule run. The first process begins with the previous version, the second with
 * this one. Any that starts again may change its version, as in an upgrade or a roll-back. It draws from a generator of its own,
 * so the other schedules stay as they are.
 */
final class SimVersions {

    /** The versions of schedules. Counts what happens in them. */
    static final class Mix {
        private final @Nullable PreviousCore previous;
        private final UnaryOperator<LeaseStore> present;
        private final Map<String, Integer> counts = new TreeMap<>();

        /**
         * @param previous the previous version; {@code null}: no process runs it
         * @param present what this version makes of the requests and replies of its processes
         */
        Mix(@Nullable PreviousCore previous, UnaryOperator<LeaseStore> present) {
            this.previous = previous;
            this.present = present;
        }

        static Mix none() {
            return new Mix(null, UnaryOperator.identity());
        }

        /** Returns the test that repeats a schedule. */
        String test() {
            return (previous == null ? SimulationTest.class : MixedSimulationTest.class).getSimpleName();
        }

        /** Returns how often each kind of thing has happened. */
        Map<String, Integer> counts() {
            return counts;
        }
    }

    private final Mix mix;
    private final SplittableRandom random;

    SimVersions(Mix mix, long seed) {
        this.mix = mix;
        this.random = new SplittableRandom(seed * 31 + 7);
    }

    /** Returns whether this process, which begins for the first time, runs the previous version. */
    boolean isFirstPrevious(int process) {
        return mix.previous != null && (process == 1 || (process > 2 && random.nextBoolean()));
    }

    /** Returns whether a process that starts again runs the previous version now. */
    boolean isNextPrevious(boolean before) {
        boolean next = mix.previous != null && random.nextBoolean();
        if (mix.previous != null && next != before) {
            count(next ? "roll-backs" : "upgrades");
        }
        return next;
    }

    boolean isMixed() {
        return mix.previous != null;
    }

    /** Notes that a process got a lease. */
    void onGranted(SimProcess process) {
        if (mix.previous != null) {
            count(process.isPrevious() ? "leases of the previous version" : "leases of this version");
        }
    }

    private void count(String what) {
        mix.counts.merge(what, 1, Integer::sum);
    }

    PreviousCore previous() {
        if (mix.previous == null) {
            throw new IllegalStateException("Schedule without the previous version");
        }
        return mix.previous;
    }

    /** Returns the way of a process of this version to the table. */
    LeaseStore present(LeaseStore way) {
        return mix.present.apply(way);
    }
}
