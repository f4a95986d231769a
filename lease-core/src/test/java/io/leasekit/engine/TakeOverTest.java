package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first call takes the lease of a dead holder. No call takes the lease of a live one (protocol 4.2, 4.3). */
class TakeOverTest {

    private static final Duration AT_THE_LATEST = Bench.TTL.plusSeconds(7);
    private static final Duration NANO = Duration.ofNanos(1);
    private static final long FAR = VirtualTime.START.getEpochSecond() + 10_000_000_000L;
    private static final String VERSION = Tenure.version(new java.util.UUID(1, 2), 3);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private void diesHolding(String key) {
        Bench.Node dying = bench.start("dying");
        dying.acquire(key);
        dying.store.always(LOST);
    }

    private void put(Long expiry, Long durationMillis) {
        bench.table.put(new LeaseItem("key", VERSION, expiry, durationMillis, 5L, "dead", null, null));
    }

    // ---- by expiry

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 499, 500, 999})
    void theFirstCallTakesAnEndedLeaseWithTwoRequestsWhereOneReplyWasSeen(long millis) {
        bench.advance(Duration.ofMillis(millis));
        diesHolding("key");
        bench.advance(AT_THE_LATEST);
        here.sample(1);

        assertThat(here.tryAcquire("key")).isPresent();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 499, 500, 999})
    void theFirstCallTakesAnEndedLeaseWithOneRequestWhereTwoRepliesWereSeen(long millis) {
        bench.advance(Duration.ofMillis(millis));
        diesHolding("key");
        here.sample(1);
        bench.advance(AT_THE_LATEST);
        here.sample(1);

        assertThat(here.tryAcquire("key")).isPresent();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void theFirstCallOfAFreshProcessReadsTheTimeOnceMore() {
        diesHolding("key");
        bench.advance(AT_THE_LATEST);

        assertThat(here.tryAcquire("key")).isPresent();

        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE, ACQUIRE);
    }

    @Test
    void aLeaseThatHasNotSurelyEndedIsUnavailableAfterOneRequest() {
        diesHolding("key");
        here.sample(2);
        bench.advance(Bench.TTL);

        assertThat(here.tryAcquire("key")).isEmpty();

        assertThat(here.store.verbs()).containsExactly(ACQUIRE);
    }

    @Test
    void anExpiryEqualToTheEarliestSecondHasNotSurelyEnded() {
        here.sample(2);
        long earliest = VirtualTime.START.getEpochSecond() - 1;

        put(earliest, 10_000L);
        assertThat(here.tryAcquire("key")).isEmpty();

        put(earliest - 1, 10_000L);
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aWaiterGetsTheLeaseOfADeadHolder() {
        diesHolding("key");
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(1)));

        bench.advance(Bench.TTL.plusSeconds(1)); // observed for its ttl, and one poll

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    // ---- by observation

    @ParameterizedTest
    @ValueSource(longs = {10_000_000_000L, Long.MAX_VALUE - 1_800_000_000L})
    void anAbsurdExpiryIsObservedForTheTtlAndANonWaitingCallerTakesIt(long tooFar) {
        put(VirtualTime.START.getEpochSecond() + tooFar, 10_000L);
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Duration.ofMillis(10_010).minus(NANO)); // the ttl and a thousandth
        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(NANO);
        here.store.verbs();

        assertThat(here.tryAcquire("key")).isPresent();
        assertThat(here.store.verbs()).containsExactly(ACQUIRE, ACQUIRE);
    }

    @Test
    void aMissingExpiryIsObservedForTheObservationTime() {
        put(null, 10_000L);
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Duration.ofMillis(300_300).minus(NANO));
        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(NANO);

        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void anItemThatTellsNoTtlIsObservedForTheObservationTime() {
        Bench.Node impatient =
                bench.start("impatient", builder -> ((EngineBuilder) builder).observationTime(Duration.ofSeconds(30)));
        put(FAR, null);
        assertThat(impatient.tryAcquire("key")).isEmpty();
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Duration.ofMillis(30_030));

        assertThat(here.tryAcquire("key")).isEmpty();
        assertThat(impatient.tryAcquire("key")).isPresent();
    }

    @Test
    void aLeaseOfTheLongestTtlIsObservedForItsTtl() {
        Lease lease =
                bench.start("holder").acquire(LeaseRequest.of("key").passive().ttl(Duration.ofDays(365)));
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofHours(1)));

        bench.advance(Duration.ofHours(1)); // much longer than an item without a usable ttl is observed

        assertThat(lease.isValid()).isTrue();
        assertThat(waiting.join()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MAX_VALUE, Long.MIN_VALUE})
    void anAbsurdTtlCountsAsNone(long millis) {
        put(FAR, millis);
        assertThat(here.tryAcquire("key")).isEmpty();

        bench.advance(Duration.ofMinutes(5));
        assertThat(here.tryAcquire("key")).isEmpty();
        bench.advance(Duration.ofMillis(300));

        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void waitersForMoreKeysThanAreRememberedAllGetTheirLeases() {
        Bench.Node busy =
                bench.start("busy", builder -> ((EngineBuilder) builder).observationTime(Duration.ofSeconds(5)));
        List<CompletableFuture<Optional<Lease>>> waiting = new ArrayList<>();
        for (int i = 0; i < 11_000; i++) { // 10,000 keys are remembered
            bench.table.put(new LeaseItem("key-" + i, VERSION, null, null, 5L, "dead", null, null));
            waiting.add(busy.waiting("key-" + i));
        }

        bench.advance(Duration.ofSeconds(8));

        assertThat(waiting).allSatisfy(one -> assertThat(one).isCompletedWithValueMatching(Optional::isPresent));
    }

    @Test
    void waitersForPermitsWithMoreSlotsThanAreRememberedAllGetOne() {
        Bench.Node busy =
                bench.start("busy", builder -> ((EngineBuilder) builder).observationTime(Duration.ofSeconds(5)));
        List<CompletableFuture<Optional<Lease>>> waiting = new ArrayList<>();
        for (int key = 0; key <= 100; key++) { // 10,000 slots are remembered
            leaveDeadSlots("key-" + key, 100);
            waiting.add(busy.leases.acquireAsync(
                    LeaseRequest.of("key-" + key).permits(100).waitFor(Duration.ofHours(1))));
        }

        bench.advance(Duration.ofSeconds(8));

        assertThat(waiting).allSatisfy(one -> assertThat(one).isCompletedWithValueMatching(Optional::isPresent));
    }

    @Test
    void aTakeOverOfASlotThatWaitersHaveObservedTakesOneWrite() {
        Bench.Node waiter =
                bench.start("waiter", builder -> ((EngineBuilder) builder).observationTime(Duration.ofSeconds(5)));
        leaveDeadSlots("key", 2);
        CompletableFuture<Optional<Lease>> waiting =
                waiter.leases.acquireAsync(LeaseRequest.of("key").permits(2).waitFor(Duration.ofHours(1)));
        bench.advance(Duration.ofSeconds(1));
        waiter.store.verbs();

        bench.advance(Duration.ofSeconds(6));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(waiter.store.verbs()).containsOnlyOnce(ACQUIRE);
    }

    /** Leaves slots of a dead owner without a usable expiry. */
    private void leaveDeadSlots(String key, int permits) {
        for (int slot = 0; slot < permits; slot++) {
            bench.table.put(new LeaseItem(key + "#permit=" + slot, VERSION, null, null, 5L, "dead", null, null));
        }
    }

    @Test
    void aWaiterObservesEachNewVersionFromItsFirstSight() {
        put(FAR, 10_000L);
        CompletableFuture<Optional<Lease>> waiting = here.waiting("key");
        for (int version = 4; version < 10; version++) {
            bench.advance(Duration.ofSeconds(9));
            bench.table.put(new LeaseItem(
                    "key", Tenure.version(new java.util.UUID(1, 2), version), FAR, 10_000L, 5L, "alive", null, null));
        }
        bench.advance(Duration.ofSeconds(9));
        assertThat(waiting).isNotDone();

        bench.advance(Duration.ofSeconds(3));

        assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void observationBeginsAgainWithEachNewVersion() {
        put(FAR, 10_000L);
        here.tryAcquire("key");
        bench.advance(Duration.ofSeconds(9));
        bench.table.put(new LeaseItem(
                "key", Tenure.version(new java.util.UUID(1, 2), 4), FAR, 10_000L, 5L, "alive", null, null));
        here.tryAcquire("key");

        bench.advance(Duration.ofSeconds(10));

        assertThat(here.tryAcquire("key")).isEmpty();
    }

    // ---- live holders

    @Test
    void aLiveHolderLosesItsLeaseToNobody() {
        Bench.Node holder = bench.start("holder");
        Lease lease = holder.acquire("key");

        for (int tenth = 0; tenth < 6_000; tenth++) {
            assertThat(here.tryAcquire("key")).isEmpty();
            bench.advance(Duration.ofMillis(100));
        }

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aLiveHolderThatHardlyGetsThroughLosesItsLeaseToNobody() {
        Bench.Node holder = bench.start("holder");
        Lease lease = holder.acquire("key");
        int[] renewals = {0};
        holder.store.always(ScriptedStore.Verb.RENEW, request -> {
            if (++renewals[0] % 3 == 0) {
                request.deliver();
            }
        });
        CompletableFuture<Optional<Lease>> waiting =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(10)));

        bench.assertHeldFor(Duration.ofMinutes(9), lease);

        assertThat(waiting).isNotDone();
    }
}
