package io.leasekit.engine;

import io.leasekit.LeaseWatch.State;
import io.leasekit.engine.ProtocolMutantsTest.Mutant;
import io.leasekit.requests.BoundedClock;
import io.leasekit.watch.WatchOrder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Variants of watches that look simpler and are wrong. */
final class WatchMutants {

    private WatchMutants() {}

    static Stream<Mutant> all() {
        return Stream.of(
                new Mutant("look decided by the time of its reply", SimVariant.of(time -> new LeaseRules() {
                    @Override
                    BoundedClock.@Nullable Reading ofLook(BoundedClock.@Nullable Reading sending, BoundedClock clock) {
                        return beforeSending(clock);
                    }
                })),
                new Mutant("watchers shown what the table shows", SimVariant.of(time -> new LeaseRules() {
                    @Override
                    public boolean mayFollow(State shown, State seen) {
                        return true;
                    }
                })),
                new Mutant("watchers ordered by token only", SimVariant.of(time -> new LeaseRules() {
                    @Override
                    public boolean mayFollow(State shown, State seen) {
                        return WatchOrder.token(shown) <= WatchOrder.token(seen);
                    }
                })));
    }
}
