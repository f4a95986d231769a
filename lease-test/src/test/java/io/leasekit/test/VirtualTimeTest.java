package io.leasekit.test;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the time moves by itself. The test makes the looks of real time. */
@Timeout(600)
class VirtualTimeTest {

    private final Queue<Runnable> looks = new ArrayDeque<>();
    private final AtomicBoolean waits = new AtomicBoolean();
    private final UserTest user = new UserTest();
    private final VirtualTime time = new VirtualTime(waits::get, user, looks::add);

    @AfterEach
    void end() {
        user.end();
    }

    private void acquireThatWaits(Duration atMost) {
        waits.set(true);
        time.schedule(atMost.toNanos(), Runnable::run, () -> waits.set(false));
    }

    private void look() {
        assertThat(looks).as("the next look").hasSize(1);
        looks.remove().run();
    }

    private Duration elapsed() {
        return Duration.ofNanos(time.elapsed());
    }

    @Test
    void aTestThatWaitsAtTwoLooksMovesTheTime() {
        acquireThatWaits(ofSeconds(30));
        user.becomes(Thread.State.WAITING);

        look();
        assertThat(elapsed()).isZero();
        look();

        assertThat(elapsed()).isEqualTo(ofSeconds(30));
        look();
        assertThat(looks).isEmpty();
    }

    @Test
    void aTestThatWaitsForALimitedTimeMovesTheTimeToo() {
        acquireThatWaits(ofSeconds(30));
        user.becomes(Thread.State.TIMED_WAITING);

        look();
        look();

        assertThat(elapsed()).isEqualTo(ofSeconds(30));
    }

    @Test
    void aTestThatBeginsToWaitAfterALookMovesTheTimeToo() {
        acquireThatWaits(ofSeconds(30));
        look();
        look();
        look();
        user.becomes(Thread.State.WAITING);

        look();
        assertThat(elapsed()).isZero();
        look();

        assertThat(elapsed()).isEqualTo(ofSeconds(30));
    }

    @Test
    void aTestThatWaitsForAMomentNowAndThenMovesNothing() {
        acquireThatWaits(ofSeconds(30));

        for (int i = 0; i < 20; i++) {
            user.becomes(Thread.State.WAITING);
            look();
            user.becomes(Thread.State.RUNNABLE);
            look();
        }

        assertThat(elapsed()).isZero();
    }

    @Test
    void afterTheTestAnAcquireThatItLeavesBehindMovesNothing() {
        acquireThatWaits(ofSeconds(30));
        user.becomes(Thread.State.WAITING);
        look();

        time.rest();
        look();

        assertThat(looks).isEmpty();
        assertThat(elapsed()).isZero();
    }

    @Test
    void anAcquireThatBeginsDuringTheLastLookIsLookedAt() {
        AtomicBoolean begins = new AtomicBoolean();
        VirtualTime[] racing = new VirtualTime[1];
        racing[0] = new VirtualTime(
                () -> {
                    boolean before = waits.get();
                    if (begins.getAndSet(false)) {
                        waits.set(true);
                        racing[0].schedule(1, Runnable::run, () -> {});
                    }
                    return before;
                },
                user,
                looks::add);
        racing[0].schedule(1, Runnable::run, () -> {});
        user.becomes(Thread.State.WAITING);
        begins.set(true);

        look();

        assertThat(looks).as("the next look").hasSize(1);
    }

    /** The thread of a user's test, in the state that is ordered. */
    private static final class UserTest extends Thread {

        private final Semaphore goOn = new Semaphore(0);
        private volatile State state = State.RUNNABLE;

        UserTest() {
            super("user-test");
            setDaemon(true);
            start();
            await(State.RUNNABLE);
        }

        @Override
        public void run() {
            try {
                while (true) {
                    switch (state) {
                        case WAITING -> goOn.acquire();
                        case TIMED_WAITING -> goOn.tryAcquire(1, TimeUnit.HOURS);
                        case TERMINATED -> {
                            return;
                        }
                        default -> Thread.onSpinWait();
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void becomes(State next) {
            boolean waits = state == State.WAITING || state == State.TIMED_WAITING;
            state = next;
            if (waits) {
                goOn.release();
            }
            await(next);
        }

        private void await(State next) {
            while (getState() != next) {
                Thread.onSpinWait();
            }
        }

        void end() {
            becomes(State.TERMINATED);
        }
    }
}
