package io.leasekit.engine;

import io.leasekit.LeaseWatch.State;
import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.observe.Observer;
import io.leasekit.requests.BoundedClock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Variants of watches that look simpler and are wrong. */
final class WatchMutants {

    private WatchMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant("look decided by the time of its reply", SimVariant.of(time -> new TimeOfReply())),
                new Mutant("watchers shown what the table shows", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public boolean mayFollow(State shown, State seen) {
                        return true;
                    }
                })),
                new Mutant("watchers ordered by token only", SimVariant.of(time -> new FeatureRules() {
                    @Override
                    public boolean mayFollow(State shown, State seen) {
                        return token(shown) <= token(seen);
                    }
                })));
    }

    /** Takes the time anew once the reply is there. */
    private static final class TimeOfReply extends FeatureRules {
        private @Nullable BoundedClock clock;

        @Override
        public BoundedClock.@Nullable Reading beforeSending(BoundedClock used) {
            clock = used;
            return super.beforeSending(used);
        }

        @Override
        public boolean isOver(Observer.@Nullable Observation last, BoundedClock.@Nullable Reading look, Observer seen) {
            return super.isOver(last, clock == null ? null : beforeSending(clock), seen);
        }
    }
}
