package io.leasekit.requests;

import static io.leasekit.engine.Interleavings.check;

import io.leasekit.engine.Interleavings;
import io.leasekit.requests.Line.Wanted;
import io.leasekit.requests.RequestLimiter.Ending;
import io.leasekit.requests.RequestLimiter.Kind;
import io.leasekit.requests.RequestLimiter.Place;
import io.leasekit.time.EngineTime;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests that wait for their turns in the interleavings that Lincheck finds. */
@Tag("instruments")
@Tag("full")
class InterleavingsTest {

    @Test
    void noMoreRequestsThanTheBoundAreInFlightAndEachGetsItsTurn() {
        Interleavings.modelChecking().actorsPerThread(4).check(Limited.class);
    }

    @Test
    void whileNothingSucceedsEachRequestGetsItsTurnToo() {
        Interleavings.modelChecking().actorsPerThread(4).check(Probed.class);
    }

    /** Requests beside their replies; one may be in flight. */
    public static class Limited extends Requesting {

        public Limited() {
            super(false);
        }

        @Operation
        public void ask() {
            request(Kind.ACQUIRE, 1);
        }

        @Operation
        public void askForTwoTurns() {
            request(Kind.RENEWAL, 2);
        }

        @Operation
        public void enterIfRoom() {
            tryRequest();
        }

        @Operation
        public void answer() {
            reply(Ending.ANSWERED);
        }

        @Operation
        public void fail() {
            reply(Ending.FAILED);
        }

        @Operation
        public void giveBack() {
            endUnused();
        }

        @Validate
        public void allAreServed() {
            serveAll();
        }
    }

    /** Requests during an outage: only probes are sent, the next one when a timer fires or an answer has come. */
    public static class Probed extends Requesting {

        public Probed() {
            super(true);
        }

        @Operation
        public void ask() {
            request(Kind.LOOK, 1);
        }

        @Operation
        public void askForTwoTurns() {
            request(Kind.RENEWAL, 2);
        }

        @Operation
        public void fail() {
            reply(Ending.CONGESTED);
        }

        @Operation
        public void answer() {
            reply(Ending.ANSWERED);
        }

        @Operation
        public void passTime() {
            fire();
        }

        @Validate
        public void allAreServed() {
            serveAll();
        }
    }

    /** A limiter whose bound is one, and what its callers have seen. */
    abstract static class Requesting implements EngineTime, RequestRulesOfOne {
        private final Queue<Place> unanswered = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> timers = new ConcurrentLinkedQueue<>();
        private final AtomicInteger inFlight = new AtomicInteger();
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger served = new AtomicInteger();
        private volatile boolean beyondBound;
        private volatile boolean outage;
        private final AtomicLong now = new AtomicLong();
        private final RequestLimiter limiter =
                new RequestLimiter(this, this, () -> 1, (place, wanted) -> send(place)); // last: it reads the time

        Requesting(boolean outage) {
            Place first = limiter.extra(Kind.ACQUIRE);
            first.use(1);
            first.end(Ending.CONGESTED); // halves the bound, which is one then
            this.outage = outage;
        }

        void request(Kind kind, int turns) {
            asked.addAndGet(turns);
            limiter.together(() -> {
                for (int i = 0; i < turns; i++) {
                    limiter.add(kind, new Wanted(Runnable::run, out -> {}, null, i, 1));
                }
            });
        }

        void tryRequest() {
            Place place = limiter.enterIfRoom(Kind.RELEASE);
            if (place != null) {
                asked.incrementAndGet();
                send(place);
            }
        }

        private void send(Place place) {
            if (inFlight.incrementAndGet() > 1) {
                beyondBound = true;
            }
            place.use(1);
            served.incrementAndGet();
            unanswered.add(place);
        }

        boolean reply(Ending ending) {
            Place place = unanswered.poll();
            if (place != null) {
                inFlight.decrementAndGet();
                place.end(ending);
                place.end(Ending.ANSWERED); // a late copy of the reply
                place.endUnlessUsed();
            }
            return place != null;
        }

        void endUnused() {
            Place place = limiter.enterIfRoom(Kind.RELEASE);
            if (place != null) {
                place.endUnlessUsed();
            }
        }

        boolean fire() {
            now.addAndGet(EngineTime.SECOND);
            Runnable timer = timers.poll();
            if (timer != null) {
                timer.run();
            }
            return timer != null;
        }

        void serveAll() {
            outage = false;
            boolean goesOn = true;
            while (goesOn) {
                goesOn = reply(Ending.ANSWERED) | fire();
            }
            check(served.get() == asked.get(), "each request gets its turns");
            check(!beyondBound, "no more requests than the bound are in flight");
            check(limiter.enterIfRoom(Kind.LOOK) != null, "there is room in the end");
        }

        @Override
        public boolean areProbes(int failedInARow) {
            return outage && failedInARow > 0;
        }

        @Override
        public long nanos() {
            return now.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            AtomicReference<@Nullable Runnable> waiting = new AtomicReference<>(task);
            timers.add(() -> {
                Runnable due = waiting.getAndSet(null);
                if (due != null) {
                    due.run();
                }
            });
            return () -> waiting.set(null);
        }
    }

    /** Rules under which one request may be in flight, and no reply is slow. */
    interface RequestRulesOfOne extends RequestRules {
        @Override
        default BoundedClock.@Nullable Reading beforeAcquire(BoundedClock clock) {
            return null;
        }

        @Override
        default double boundAfter(double bound, boolean congested) {
            return 1;
        }

        @Override
        default boolean isSlow(long tookNanos, long usualNanos) {
            return false;
        }

        @Override
        default boolean isQuicker(long tookNanos, long beforeNanos) {
            return false;
        }

        @Override
        default boolean isTooLate(long leftNanos, long tripNanos) {
            return false;
        }

        @Override
        default boolean isUrgent(long leftNanos, long ttlNanos) {
            return false;
        }

        @Override
        default boolean isLate(long leftNanos, long ttlNanos) {
            return false;
        }

        @Override
        default BoundedClock.Interval combine(BoundedClock.Interval intersection, BoundedClock.Interval hull) {
            return hull;
        }

        @Override
        default boolean isJump(long millis) {
            return false;
        }
    }
}
