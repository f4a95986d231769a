package io.leasekit.engine;

import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.requests.BoundedClock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Variants of pauses that look simpler and are wrong. */
final class PauseMutants {

    private PauseMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant("lease of a paused key handed over", SimVariant.of(time -> new HandingOver())),
                new Mutant("pauses read once", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public boolean isOld(long ageNanos) {
                        return false;
                    }
                })),
                new Mutant("pause ends when it may have ended", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
                        return now == null || now.latest() < untilNanos;
                    }
                })));
    }

    /** Heeds no pause when an acquire takes over, as if the caller before it had been allowed to pass the lease on. */
    private static final class HandingOver extends FeatureRules {
        private boolean isHandOver;

        @Override
        public boolean mayAsk(boolean handedOver, boolean renewalsAreLate) {
            isHandOver = handedOver;
            return super.mayAsk(handedOver, renewalsAreLate);
        }

        @Override
        public boolean isPaused(long untilNanos, BoundedClock.@Nullable Interval now) {
            return !isHandOver && super.isPaused(untilNanos, now);
        }
    }
}
