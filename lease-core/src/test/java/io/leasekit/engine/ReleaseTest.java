package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseRequest;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A release frees its own lease and no other (protocol 5.3, 5.6). */
class ReleaseTest {

    private static final Duration HEARTBEAT = Bench.TTL.dividedBy(3);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    // ---- own and other leases

    @Test
    void aReleaseOfALostLeaseFreesNobodyElses() {
        Lease lease = here.acquire("key");
        here.store.always(LOST);
        bench.advance(Bench.TTL.plusSeconds(7));
        Lease others = other.acquire("key");
        here.store.heal();

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        assertThat(released).isCompleted();
        assertThat(here.store.last(RELEASE).apply()).isInstanceOf(StoreReply.Refused.class);
        bench.assertHeldFor(Duration.ofSeconds(30), others);
    }

    @Test
    void aReleaseOfOneTenureFreesNoLaterOneOfTheSameProcess() {
        Lease first = here.acquire("key");
        first.close();
        Lease second = here.acquire("key");

        here.store.last(RELEASE).apply();
        first.close();

        bench.assertHeldFor(Duration.ofSeconds(30), second);
    }

    @Test
    void aRenewalThatArrivesBeforeTheReleaseDoesNotMakeItFail() {
        Lease lease = here.acquire("key");
        here.store.next(RENEW, LOST);
        bench.advance(HEARTBEAT);
        ScriptedStore.Request renewal = here.store.last(RENEW);
        here.store.next(RELEASE, request -> {
            renewal.apply();
            request.deliver();
        });

        assertThat(lease.releaseAsync().toCompletableFuture()).isCompleted();

        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aRenewalThatArrivesAfterTheReleaseBringsNothingBack() {
        Lease lease = here.acquire("key");
        here.store.next(RENEW, LOST);
        bench.advance(HEARTBEAT);
        lease.close();

        here.store.last(RENEW).deliver();

        assertThat(bench.isHeld("key")).isFalse();
        assertThat(lease.isValid()).isFalse();
    }

    // ---- time of a release

    private void assertNotReleasedUnderItsBody(Lease lease, Duration until) {
        bench.advance(until);
        assertThat(lease.lost().toCompletableFuture()).isCompleted();
        bench.advance(Duration.ofMinutes(1));
        assertThat(here.store.sent(RELEASE)).isEmpty();
        lease.close();
        assertThat(here.store.sent(RELEASE)).hasSize(1);
    }

    @Test
    void anExpiredLeaseIsNotReleasedUnderItsBody() {
        Lease lease = here.acquire("key");
        here.store.always(RENEW, LOST);

        assertNotReleasedUnderItsBody(lease, Bench.TTL);
    }

    @Test
    void aTakenLeaseIsNotReleasedUnderItsBody() {
        Lease lease = here.acquire("key");
        bench.table.put(
                new LeaseItem("key", Tenure.version(new UUID(3, 4), 1), 1L, 10_000L, 1L, "another", null, null));

        assertNotReleasedUnderItsBody(lease, HEARTBEAT);
    }

    @Test
    void aLeaseAtItsHoldLimitIsNotReleasedUnderItsBody() {
        Lease lease = here.acquire(LeaseRequest.of("key").holdAtMost(Duration.ofSeconds(5)));

        assertNotReleasedUnderItsBody(lease, Duration.ofSeconds(5));
    }

    @Test
    void noRenewalIsSentAfterARelease() {
        Lease lease = here.acquire("key");
        here.store.always(RELEASE, LOST);
        lease.releaseAsync();
        here.store.verbs();

        bench.advance(Bench.TTL);

        assertThat(here.store.verbs()).containsOnly(RELEASE);
    }

    @Test
    void aReleaseIsIdempotent() {
        Lease lease = here.acquire("key");

        lease.close();
        lease.close();
        assertThat(lease.releaseAsync().toCompletableFuture()).isCompleted();

        assertThat(here.store.sent(RELEASE)).hasSize(1);
        assertThat(here.events)
                .containsExactly(
                        new LeaseEvent.Acquired("key", "here", lease.fencingToken()),
                        new LeaseEvent.Released("key", "here", lease.fencingToken(), Duration.ZERO));
    }

    // ---- outages

    private void assertReleasedAfter(Consumer<ScriptedStore.Request> outage) {
        Lease lease = here.acquire("key");
        here.store.always(outage);
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        bench.advance(Duration.ofSeconds(6));
        assertThat(released).isNotDone();
        assertThat(lease.isValid()).isFalse();

        here.store.heal();
        bench.advance(Duration.ofSeconds(5));

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void aThrottledReleaseIsTriedAgainInTheBackground() {
        assertReleasedAfter(refused("ProvisionedThroughputExceededException"));
    }

    @Test
    void aReleaseOnAHungSocketIsTriedAgainInTheBackground() {
        assertReleasedAfter(LOST);
    }

    @Test
    void aReleaseThatIsDeniedAccessIsTriedAgainInTheBackground() {
        assertReleasedAfter(request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));
    }

    @Test
    void aReleaseReadsTheTimeWhereItWasForgotten() {
        Lease lease = here.acquire("key");
        here.machine.jumpWallClock(Duration.ofHours(1));

        assertThat(lease.releaseAsync().toCompletableFuture()).isCompleted();

        assertThat(bench.isHeld("key")).isFalse();
    }

    @Test
    void triesEndOnceTheLeaseHasSurelyEndedByItself() {
        Lease lease = here.acquire("key");
        here.store.always(refused("Connection refused"));
        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();

        bench.advance(Bench.TTL.plusSeconds(9));
        assertThat(released).isNotDone();
        bench.advance(Duration.ofSeconds(7));
        assertThat(released).isCompleted();
        here.store.verbs();
        bench.advance(Duration.ofMinutes(1));

        assertThat(here.store.verbs()).isEmpty();
        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void aLeaseIsNotValidFromTheCallOnAlsoWhileAnotherStepRuns() {
        List<Lease> leases = new ArrayList<>();
        List<Boolean> valid = new ArrayList<>();
        Bench.Node node = bench.start(
                "listening",
                builder -> builder.listener(event -> {
                    if (event instanceof LeaseEvent.AtRisk) { // runs within a step of the lease
                        valid.add(leases.get(0).isValid());
                        leases.get(0).releaseAsync();
                        valid.add(leases.get(0).isValid());
                    }
                }));
        leases.add(node.acquire("key"));
        node.store.always(RENEW, LOST);

        bench.advance(Bench.TTL.minusSeconds(1));

        assertThat(valid).containsExactly(true, false);
    }
}
