package io.leasekit.engine;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.util.LoggingLevel;

/** How Lincheck explores the interleavings of a model: briefly in each build, or as long as a property says. */
public final class Interleavings {

    /** Each iteration is another scenario: which thread does what, and in which order. */
    private static final int ITERATIONS = Integer.getInteger("leasekit.interleavings.iterations", 5);

    private Interleavings() {}

    /** Lincheck decides at each access to shared memory which thread goes on. For models without I/O, logs and clocks. */
    public static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .logLevel(LoggingLevel.ERROR)
                .iterations(ITERATIONS)
                .invocationsPerIteration(100);
    }

    /** Real threads run side by side, time and again. */
    public static StressOptions stress() {
        return new StressOptions()
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .logLevel(LoggingLevel.ERROR)
                .iterations(ITERATIONS)
                .invocationsPerIteration(200);
    }

    /** Replaces AssertJ, whose code Lincheck would explore as well. */
    public static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("Violated: " + what);
        }
    }
}
