package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.ReleaseMode;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lease of several keys is renewed, lost and released as one (protocol 5.2, 5.3, 5.5, 5.6). */
class GroupLeaseTest {

    private static final LeaseRequest BOTH = LeaseRequest.ofAll("a", "b");
    private static final String FORCED = new UUID(0, 0) + "-00000001";
    private static final String THEIRS = new UUID(7, 7) + "-00000001";

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");
    private final Bench.Node other = bench.start("other");

    // ---- renewals

    @Test
    void eachRenewalIsOneRequest() {
        Lease lease = here.acquire(BOTH);
        here.store.verbs();

        bench.advance(Duration.ofSeconds(10));

        assertThat(lease.isValid()).isTrue();
        assertThat(here.store.verbs()).hasSizeBetween(3, 4).containsOnly(RENEW);
        assertThat(bench.item("a").version()).isEqualTo(bench.item("b").version());
    }

    @Test
    void aRenewalWhoseReplyWasLostIsItsOwnToTheNext() {
        Lease lease = here.acquire(BOTH);
        here.store.next(RENEW, REPLY_LOST, REPLY_LOST);

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void aRefusalThatShowsALaterRenewalOnOneKeyConfirmsThatOneForAll() {
        Lease lease = here.acquire(BOTH);
        here.store.next(RENEW, LOST, request -> {
            request.apply();
            // the lost renewal arrives late; it reads one key before and one after the later renewal is applied
            here.store.sent(RENEW).get(0).answer(bench.refusedBy("b"));
            request.deliver();
        });

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    @Test
    void conflictsAreTriedAgainWithinTheValidity() {
        Lease lease = here.acquire(BOTH);
        here.store.next(
                RENEW,
                ScriptedStore.refused("conflict"),
                ScriptedStore.refused("conflict"),
                request -> request.deliver());

        bench.assertHeldFor(Duration.ofSeconds(30), lease);
    }

    // ---- loss

    @Test
    void oneKeyTakenIsAllTaken() {
        Lease lease = here.acquire(BOTH);
        bench.table.put(held("b", THEIRS));

        bench.advance(Duration.ofSeconds(4));

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.TAKEN);
        assertThat(lease.isValid()).isFalse();
        assertThat(here.events)
                .filteredOn(LeaseEvent.Lost.class::isInstance)
                .extracting(LeaseEvent::key)
                .containsExactly("a", "b");
    }

    @Test
    void oneKeyReleasedByForceOrRemovedIsAllRevoked() {
        Lease forced = here.acquire(BOTH);
        Lease removed = here.acquire(LeaseRequest.ofAll("c", "d"));
        bench.table.put(held("a", FORCED));
        bench.table.remove("d");

        bench.advance(Duration.ofSeconds(4));

        assertThat(forced.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
        assertThat(removed.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
    }

    @Test
    void oneKeyThatThisManagerReleasesByForceIsAllRevokedAtOnce() {
        Lease lease = here.acquire(BOTH);

        assertThat(here.leases.forceRelease("b", lease.fencingToken()).isDone()).isTrue();

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.REVOKED);
        lease.close();
        assertThat(other.tryAcquire("a")).isPresent();
        assertThat(other.tryAcquire("b")).isEmpty(); // until its expiry
    }

    @Test
    void eachKeyIsAmongThoseHeld() {
        Lease lease = here.acquire(BOTH);

        assertThat(here.leases.held())
                .extracting(LeaseStatus::key, LeaseStatus::fencingToken)
                .containsExactly(tuple("a", lease.fencingToken()), tuple("b", lease.fencingToken()));
    }

    @Test
    void aRefusalThatShowsOurOwnBesideAnothersIsALoss() {
        Lease lease = here.acquire(BOTH);
        bench.table.put(held("b", THEIRS));
        here.store.next(RENEW, request -> request.answer(bench.refusedBy("a", "b")));

        bench.advance(Duration.ofSeconds(4));

        assertThat(lease.lost().toCompletableFuture()).isCompletedWithValue(LeaseLossReason.TAKEN);
    }

    @Test
    void aLostLeasesOtherKeysAreReleasedWhenItIsClosedAndNotBefore() {
        Lease lease = here.acquire(LeaseRequest.ofAll("a", "b", "c"));
        bench.table.put(held("b", THEIRS));
        bench.advance(Duration.ofSeconds(4));
        assertThat(bench.isHeld("a")).isTrue();
        here.store.verbs();

        lease.close();

        assertThat(here.store.verbs()).containsExactly(RELEASE, RELEASE, RELEASE);
        assertThat(bench.isHeld("a")).isFalse();
        assertThat(bench.item("b").version()).isEqualTo(THEIRS);
        assertThat(bench.isHeld("c")).isFalse();
    }

    // ---- release

    @Test
    void theReleaseOfAllKeysIsOneRequest() {
        Lease lease = here.acquire(BOTH);
        here.store.verbs();

        lease.close();

        assertThat(here.store.verbs()).containsExactly(RELEASE);
        assertThat(other.tryAcquire("a")).isPresent();
        assertThat(other.tryAcquire("b")).isPresent();
    }

    @Test
    void aReleaseWhoseReplyWasLostIsTriedAgainAndDoneWhenNothingIsLeft() {
        Lease lease = here.acquire(BOTH);
        here.store.verbs();
        here.store.next(RELEASE, REPLY_LOST);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        assertThat(released).isNotDone();
        bench.advance(Duration.ofSeconds(10));

        assertThat(released).isCompleted();
        assertThat(here.store.verbs()).containsExactly(RELEASE, RELEASE);
    }

    @Test
    void theReleaseOfWhatIsLeftIsTriedAgainByItself() {
        Lease lease = here.acquire(BOTH);
        bench.table.put(held("a", FORCED));
        here.store.next(RELEASE, request -> request.deliver(), LOST);

        CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
        assertThat(bench.isHeld("b")).isTrue();
        bench.advance(Duration.ofSeconds(10));

        assertThat(released).isCompleted();
        assertThat(bench.isHeld("b")).isFalse();
        assertThat(bench.item("a").version()).isEqualTo(FORCED);
    }

    @Test
    void aHoldKeepsAllKeys() {
        Lease lease = here.acquire(BOTH.holdAtLeast(Duration.ofSeconds(30)));
        lease.close();

        assertThat(other.tryAcquire("a")).isEmpty();
        assertThat(other.tryAcquire("b")).isEmpty();
        bench.advance(Duration.ofSeconds(40));
        assertThat(other.tryAcquire(BOTH)).isPresent();
    }

    @Test
    void deleteModeDeletesAllKeys() {
        Bench.Node deleting = bench.start("deleting", builder -> builder.releaseMode(ReleaseMode.DELETE));
        Lease lease = deleting.acquire(BOTH);
        bench.advance(Duration.ofSeconds(10));

        lease.close();

        assertThat(bench.table.items()).isEmpty();
    }

    @Test
    void aLateRenewalPullsNoKeyBackAfterTheRelease() {
        Lease lease = here.acquire(BOTH);
        here.store.next(RENEW, LOST);
        bench.advance(Duration.ofSeconds(4));
        ScriptedStore.Request renewal = here.store.sent(RENEW).get(0);
        lease.close();

        renewal.apply();

        assertThat(bench.isHeld("a")).isFalse();
        assertThat(bench.isHeld("b")).isFalse();
    }

    // ---- local queues

    @Test
    void nobodyOfTheProcessIsRefusedByAReleaseThatIsInFlight() {
        Lease lease = here.acquire(BOTH);
        ScriptedStore.Request[] release = new ScriptedStore.Request[1];
        here.store.next(RELEASE, request -> release[0] = request);
        lease.releaseAsync();
        here.store.verbs();

        CompletableFuture<?> one = here.acquiring("a");
        CompletableFuture<?> both = here.leases.acquireAsync(LeaseRequest.ofAll("b", "c"));
        assertThat(here.store.verbs()).isEmpty();
        release[0].deliver();

        assertThat(one).isCompleted();
        assertThat(both).isCompleted();
        assertThat(here.store.verbs()).containsExactlyInAnyOrder(ACQUIRE, ACQUIRE);
        assertThat(here.events).noneMatch(LeaseEvent.Unavailable.class::isInstance);
    }

    @Test
    void aReleaseWithoutAnAnswerKeepsAGroupFromItsTurnForTheTimeOfOneRequest() {
        Lease lease = here.acquire("a");
        here.store.always(RELEASE, LOST);
        lease.releaseAsync();

        CompletableFuture<Optional<Lease>> both = here.leases.acquireAsync(BOTH);
        assertThat(both).isNotDone();
        bench.advance(Duration.ofSeconds(3));

        // a released tenure is known to be dead, whether or not the table shows the release
        assertThat(both.join()).isPresent();
    }

    @Test
    void aGroupThatIsCancelledBeforeItsTurnSendsNothing() {
        Lease lease = here.acquire("a");
        here.store.always(RELEASE, LOST);
        lease.releaseAsync();
        here.store.verbs();

        CompletableFuture<?> both = here.leases.acquireAsync(BOTH);
        both.cancel(true);
        bench.advance(Duration.ofSeconds(1));

        assertThat(here.store.verbs()).doesNotContain(ACQUIRE, READ);
    }

    private LeaseItem held(String key, String version) {
        LeaseItem item = bench.item(key);
        return new LeaseItem(key, version, item.expiry(), 10_000L, item.token(), "else", 1L, null);
    }
}
