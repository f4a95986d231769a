package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.records.ItemRun;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hold whose end lies below the token is a delayed release, so it is exact (protocol 6). */
class ShortHoldTest {

    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration NANO = Duration.ofNanos(1);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    private Lease released(LeaseRequest request) {
        Lease lease = here.acquire(request);
        here.store.verbs();
        lease.close();
        return lease;
    }

    // ---- its length

    @ParameterizedTest
    @ValueSource(longs = {1, 20, 500, 2_000})
    void aShortHoldLastsAsLongAsItSays(long millis) {
        released(LeaseRequest.of("key").holdAtLeast(Duration.ofMillis(millis)));

        bench.advance(Duration.ofMillis(millis).minus(NANO));
        assertThat(other.tryAcquire("key")).isEmpty();
        assertThat(here.store.verbs()).isEmpty();
        bench.advance(NANO);

        assertThat(here.store.verbs()).containsExactly(RELEASE);
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aCooldownCountsFromTheRelease() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(SHORT));
        bench.advance(Duration.ofMillis(1_200));
        lease.close();

        bench.advance(SHORT.minus(NANO));
        assertThat(other.tryAcquire("key")).isEmpty();
        bench.advance(NANO);

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void theRestOfAnyHoldIsExactOnceTheItemCouldExpressIt() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(SHORT));
        bench.advance(Duration.ofSeconds(30)); // the clock is beyond the token

        lease.close();

        assertThat(bench.item("key").releasedAtMillis()).as("written").isNotNull();
    }

    @Test
    void longerHoldsAreWritten() {
        Lease lease = released(LeaseRequest.of("key").holdAtLeast(Duration.ofSeconds(8)));

        assertThat(here.store.verbs()).containsExactly(RELEASE);
        assertThat(bench.item("key").version())
                .doesNotStartWith(((HeldLease) lease).tenure().toString());
    }

    @Test
    void severalKeysAreKeptAndReleasedTogether() {
        released(LeaseRequest.ofAll("a", "b").holdAtLeast(SHORT));

        bench.advance(SHORT.minus(NANO));
        assertThat(other.tryAcquire("b")).isEmpty();
        assertThat(here.tryAcquire("a")).isEmpty();
        bench.advance(NANO);

        assertThat(bench.isHeld("a") || bench.isHeld("b")).isFalse();
    }

    @Test
    void aHoldThatOutlastsTheValidityIsWritten() {
        Lease lease =
                here.acquire(LeaseRequest.of("key").ttl(Duration.ofSeconds(2)).cooldown(SHORT));
        here.store.always(RENEW, LOST);
        bench.advance(Duration.ofMillis(1_700));
        here.store.verbs();

        lease.close();

        assertThat(here.store.verbs()).containsExactly(RELEASE);
    }

    // ---- its holder

    @Test
    void theReleaseIsDoneForItsCallerWhenTheDelayBegins() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(SHORT));

        CompletableFuture<Void> done = lease.releaseAsync().toCompletableFuture();

        assertThat(done).isCompleted();
        assertThat(lease.isValid()).isFalse();
        assertThat(here.leases.held()).isEmpty();
        assertThat(here.leases.status().held()).isZero();
        assertThatThrownBy(lease::ensureValid).isExactlyInstanceOf(LeaseException.class);
        assertThatThrownBy(lease::conditionCheck).isExactlyInstanceOf(LeaseException.class);
        lease.close();
        bench.advance(Duration.ofSeconds(1));
        assertThat(here.store.sent(RELEASE)).hasSize(1);
    }

    @Test
    void itsRenewalsDoNotResume() {
        Lease lease = here.acquire(LeaseRequest.of("key").cooldown(Duration.ofMillis(1_500)));
        here.store.next(RENEW, LOST);
        bench.advance(Duration.ofMillis(3_350)); // a renewal is in flight
        here.machine.jumpWallClock(Duration.ofHours(1));
        here.machine.jumpWallClock(Duration.ofHours(-1));
        here.store.verbs();
        lease.close();

        here.leases.status();
        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).doesNotContain(RENEW).contains(RELEASE);
    }

    @Test
    void itIsShownAsKept() {
        Lease lease = released(LeaseRequest.of("key").holdAtLeast(SHORT));

        LeaseInfo info = here.leases.find("key").orElseThrow();
        assertThat(info.held()).isTrue();
        assertThat(info.isKept()).isTrue();
        assertThat(info.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(info.releasedAt()).isNotNull();
        assertThat(info.expiresAt()).isEqualTo(info.releasedAt().plus(SHORT));
        assertThat(here.leases.list().leases())
                .singleElement()
                .satisfies(one -> assertThat(one.isKept()).isTrue());
        assertThat(other.leases.find("key").orElseThrow().isKept())
                .as("only its own process knows")
                .isFalse();
        bench.advance(SHORT);
        assertThat(here.leases.find("key").orElseThrow().held()).isFalse();
    }

    // ---- callers of its process

    @Test
    void callersThatDoNotWaitAreRefusedWithoutARequest() {
        Lease lease = released(LeaseRequest.of("key").holdAtLeast(SHORT));

        assertThat(here.tryAcquire("key")).isEmpty();

        assertThatThrownBy(() -> here.leases.acquire("key"))
                .isInstanceOfSatisfying(LeaseUnavailableException.class, refused -> {
                    assertThat(refused.holder().orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
                    assertThat(refused.holder().orElseThrow().isKept()).isTrue();
                });
        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void waitersStayAndGetItAfterItsEnd() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(SHORT));
        CompletableFuture<Optional<Lease>> before = here.waiting("key");
        here.store.verbs();
        lease.close();
        CompletableFuture<Optional<Lease>> during = here.waiting("key");
        CompletableFuture<Optional<Lease>> impatient =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMillis(100)));

        bench.advance(SHORT.minus(NANO));
        assertThat(before).isNotDone();
        assertThat(during).isNotDone();
        assertThat(impatient).isCompletedWithValue(Optional.empty());
        assertThat(here.store.verbs()).isEmpty();
        bench.advance(NANO);

        assertThat(before).isCompletedWithValueMatching(Optional::isPresent);
        assertThat(here.store.verbs()).containsExactly(RELEASE, ACQUIRE);
        before.join().orElseThrow().close();
        assertThat(during).isCompletedWithValueMatching(Optional::isPresent);
    }

    // ---- never delayed

    @Test
    void aReleaseThatRecordsARunIsNotDelayed() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(SHORT));
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);

        lease.close();

        assertThat(ItemRun.of(bench.item("key").records())).isNotNull();
    }

    @Test
    void aReleaseAfterALossIsNotDelayed() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(SHORT).cooldown(SHORT));
        bench.advance(SHORT);
        here.store.verbs();

        lease.close();

        assertThat(here.store.verbs()).containsExactly(RELEASE);
    }

    @Test
    void aProcessThatReleasesNothingInTheBackgroundDelaysNothing() {
        Bench.Node frozen = bench.start("frozen", builder -> builder.releaseInBackground(false));
        frozen.acquire(LeaseRequest.of("key").holdAtLeast(SHORT)).close();

        assertThat(frozen.store.sent(RELEASE)).hasSize(1);
        assertThat(bench.item("key").releasedAtMillis()).isNotNull();
    }

    @Test
    void anUnconfirmedLeaseIsReleasedAtOnce() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(SHORT));
        here.machine.jumpWallClock(Duration.ofHours(1));

        lease.close();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
    }

    // ---- the end of the process

    @Test
    void aManagerThatClosesWritesTheHold() {
        released(LeaseRequest.of("key").holdAtLeast(Duration.ofSeconds(2)));

        CompletableFuture<Void> closed = here.leases.closeAsync().toCompletableFuture();

        assertThat(closed).isCompleted();
        assertThat(here.store.sent(RELEASE)).hasSize(1);
        bench.advance(Duration.ofSeconds(3));
        assertThat(other.tryAcquire("key")).as("the token's end").isEmpty();
        bench.advance(Duration.ofSeconds(4));
        assertThat(other.tryAcquire("key")).isPresent();
        assertThat(here.store.sent(RELEASE)).hasSize(1);
    }

    @Test
    void aManagerThatIsClosingDelaysNothing() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtLeast(SHORT));
        here.leases.closeAsync();

        lease.close();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
    }

    @Test
    void aProcessThatDiesKeepsTheKeyUntilItsTtl() {
        released(LeaseRequest.of("key").holdAtLeast(SHORT));
        here.store.always(LOST);

        bench.advance(Bench.TTL.minusSeconds(1));
        assertThat(other.tryAcquire("key")).isEmpty();
        bench.advance(Duration.ofSeconds(8));

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aReleaseWhoseReplyIsLostIsRetriedAfterTheDelay() {
        released(LeaseRequest.of("key").holdAtLeast(SHORT));
        here.store.next(RELEASE, LOST);

        bench.advance(Duration.ofSeconds(3));

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(here.store.sent(RELEASE)).hasSize(2);
    }
}
