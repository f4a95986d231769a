package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.store.RenewCommand;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No decision depends on a local wall clock, whatever it shows (protocol 4). */
class ClocksTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final Bench bench = new Bench();

    private Bench.Node startOff(String owner, Duration wallClock) {
        return bench.start(owner, builder -> {}, machine -> machine.jumpWallClock(wallClock));
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 0, 3_600})
    void aWallClockThatIsOffChangesNothingInTheTable(long seconds) {
        Lease lease = startOff("here", Duration.ofSeconds(seconds)).acquire("key");

        assertThat(bench.item("key").expiry()).isEqualTo(VirtualTime.START.getEpochSecond() + 12);
        assertThat(bench.item("key").token()).isEqualTo(VirtualTime.START.toEpochMilli() + 4_000);
        bench.assertHeldFor(LONG, lease);
    }

    @ParameterizedTest
    @ValueSource(longs = {-3_600, 0, 3_600})
    void aWallClockThatIsOffNeitherHastensNorDelaysATakeOver(long seconds) {
        Bench.Node dying = startOff("dying", Duration.ofSeconds(-seconds));
        Lease lease = dying.acquire("key");
        dying.store.always(LOST);
        bench.advance(Duration.ofSeconds(9));

        // each contender is a new process, which has observed nothing and takes over by expiry only
        while (startOff("contender", Duration.ofSeconds(seconds))
                .tryAcquire("key")
                .isEmpty()) {
            bench.advance(Duration.ofMillis(100));
        }

        assertThat(lease.isValid()).isFalse();
        // two clock widths, two roundings and a strict comparison, whatever the wall clocks show
        assertThat(bench.time.now()).isEqualTo(VirtualTime.START.plusSeconds(14));
    }

    @Test
    void aWallClockThatJumpsMakesALeaseUnconfirmedUntilItIsRenewed() {
        Bench.Node here = bench.start("here");
        Lease lease = here.acquire("key");
        here.store.verbs();
        here.store.next(READ, LOST);

        here.machine.jumpWallClock(Duration.ofHours(1));

        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        bench.advance(Duration.ofMillis(2_100)); // the deadline of the read and a pause
        assertThat(here.store.verbs()).startsWith(READ, READ, RENEW);
        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void wallClocksThatKeepJumpingLoseNoLease() {
        Bench.Node here = bench.start("here");
        Bench.Node other = bench.start("other");
        Lease lease = here.acquire("key");

        for (int hour = 1; hour < 10; hour++) {
            here.machine.jumpWallClock(Duration.ofHours(hour % 2 == 0 ? hour : -hour));
            other.machine.jumpWallClock(Duration.ofHours(hour));
            assertThat(lease.isValid()).as("until it is renewed").isFalse();
            bench.advance(Duration.ofMillis(1));
            assertThat(lease.isValid()).as("renewed at once").isTrue();
            assertThat(other.tryAcquire("key")).isEmpty();
            bench.advance(Duration.ofSeconds(2));
        }
        bench.assertHeldFor(LONG, lease);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-200, 200})
    void clocksThatDriftLoseNoLeaseAndCountAsNoJump(double ppm) {
        Bench.Node here = bench.start("here", builder -> {}, machine -> machine.drift(-ppm, ppm));
        Bench.Node other = bench.start("other", builder -> {}, machine -> machine.drift(ppm, -ppm));
        Lease lease = here.acquire("key");
        here.store.verbs();

        for (int minute = 0; minute < 30; minute++) {
            bench.assertHeldFor(Duration.ofMinutes(1), lease);
            assertThat(other.tryAcquire("key")).isEmpty();
        }

        assertThat(here.store.verbs()).containsOnly(RENEW);
    }

    @Test
    @Timeout(600)
    void afterASuspendALeaseIsUnconfirmedAndEnsureValidWaitsForItsRenewal() throws InterruptedException {
        Bench.Node here = bench.start("here");
        Lease lease = here.acquire("key");
        CountDownLatch renewing = new CountDownLatch(1);
        here.store.next(RENEW, request -> renewing.countDown());
        here.store.verbs();

        here.machine.suspend(Duration.ofSeconds(5));

        assertThat(lease.isValid()).isFalse();
        Thread waiter = new Thread(lease::ensureValid);
        waiter.start();
        renewing.await();
        assertThat(waiter.isAlive()).isTrue();
        here.store.last(RENEW).deliver();
        waiter.join();
        assertThat(here.store.verbs()).containsExactly(READ, RENEW);
        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void aReplyThatASuspendDelaysLosesNoLease() {
        Bench.Node here = bench.start("here");
        Lease lease = here.acquire(LeaseRequest.of("key").ttl(LONG).heartbeatInterval(Duration.ofSeconds(10)));
        here.store.next(RENEW, request -> {});
        bench.advance(Duration.ofSeconds(10));
        ScriptedStore.Request renewal = here.store.last(RENEW);

        here.machine.suspend(Duration.ofSeconds(20));
        renewal.deliver(); // its date shows the time of the suspend, which the monotonic clock does not
        bench.advance(Duration.ofSeconds(1));

        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        bench.assertHeldFor(LONG, lease);
    }

    @Test
    void afterASuspendBeyondItsEndALeaseIsLostAtTheFirstLook() {
        Bench.Node here = bench.start("here");
        Bench.Node other = bench.start("other");
        Lease lease = here.acquire("key");

        here.machine.suspend(Duration.ofMinutes(5));
        Lease taken = other.acquire("key");

        assertThat(lease.isValid()).isFalse();
        bench.advance(Duration.ofMillis(1));
        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.EXPIRED);
        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .hasMessage("Lease 'key' of owner 'here' (token " + lease.fencingToken() + ") was lost: EXPIRED");
        assertThat(taken.fencingToken()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void repliesWithoutADateAreAnErrorThatSaysSo() {
        Bench.Node here = bench.start("here");
        here.store.dates(date -> null);

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");
        bench.advance(Duration.ofSeconds(7));

        assertThat(acquiring)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseStoreException.class)
                .withMessage("Replies of table 'scripted' have no 'Date' header, expected one in each: leases"
                        + " need DynamoDB's time");
        assertThat(here.store.sent(ACQUIRE)).as("no write before a sample").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-20, 20})
    void whileDatesDisagreeLeasesGoOnAndNoneIsTakenOverByItsExpiry(long seconds) {
        Bench.Node here = bench.start("here");
        Bench.Node dying = bench.start("dying");
        Bench.Node contender = bench.start("contender");
        Lease lease = here.acquire("key");
        dying.acquire("left");
        dying.store.always(LOST);
        bench.advance(Duration.ofSeconds(20)); // the lease of 'left' has expired
        for (Bench.Node process : new Bench.Node[] {here, contender}) {
            process.store.dates(date -> date.plusSeconds(seconds));
            process.sample(1);
            process.store.dates(date -> date);
            process.sample(1);
        }

        assertThat(contender.tryAcquire("key")).isEmpty();
        assertThat(contender.tryAcquire("left")).isEmpty();
        bench.assertHeldFor(Duration.ofSeconds(62), lease);
        contender.sample(2);

        assertThat(contender.tryAcquire("left")).isPresent();
        assertThat(contender.tryAcquire("key")).isEmpty();
    }

    /** Its holder counts as dead only after it was observed, long after the expiry by any of the dates. */
    @Test
    void whileDatesDisagreeAWaiterForAnExpiredLeaseLooksAsSeldomAsBefore() {
        Bench.Node dying = bench.start("dying");
        Bench.Node contender = bench.start("contender");
        dying.acquire(LeaseRequest.of("left").ttl(Duration.ofSeconds(30)));
        dying.store.always(LOST);
        bench.advance(Duration.ofSeconds(20));
        contender.store.dates(date -> date.plusSeconds(3));
        contender.sample(1);
        contender.store.dates(date -> date);
        contender.sample(1);
        CompletableFuture<Optional<Lease>> waiting = contender.waiting("left");
        bench.advance(Duration.ofSeconds(12));
        contender.store.verbs();

        bench.advance(Duration.ofSeconds(10));

        assertThat(contender.store.verbs()).hasSizeBetween(5, 15);
        assertThat(waiting).isNotDone();
    }

    /** Once the right replies are older than a minute, only wrong ones count. */
    @Test
    void serversWhoseDatesAreWrongMoveNoEndBack() {
        Bench.Node here = bench.start("here");
        here.acquire("key");

        here.store.dates(date -> date.minusSeconds(8));
        bench.advance(Duration.ofMinutes(2));

        assertThat(here.store.sent(RENEW))
                .extracting(request -> ((RenewCommand) request.command).expiry())
                .hasSizeGreaterThan(30)
                .isSorted();
    }

    @Test
    void aReplyWhoseDateContradictsTheWritesClockConfirmsNoLongerThanTheTableSays() {
        Bench.Node here = bench.start("here");
        Instant wrong = VirtualTime.START.minusSeconds(8);
        here.store.dates(date -> wrong);
        here.sample(1);
        here.store.dates(date -> date);
        here.store.next(RENEW, LOST);

        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");

        assertThat(bench.item("key").expiry()).isEqualTo(wrong.plusSeconds(12).getEpochSecond());
        assertThat(acquiring).as("too little validity left to hand it out").isNotDone();
        bench.advance(Duration.ofSeconds(1)); // the renewal was sent at once and lost; its retry follows
        assertThat(here.store.verbs()).startsWith(ACQUIRE, RENEW, RENEW);
        bench.assertHeldFor(LONG, acquiring.join().orElseThrow());
    }
}
