package io.leasekit.engine;

import static io.leasekit.ForcedRelease.TwoMayRun.IMMEDIATELY;
import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.Verb.REVOKE;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.ForcedRelease;
import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.observe.Observer;
import io.leasekit.requests.BoundedClock;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.StoreReply;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forced release in both modes: at the expiry, or at once, when two may run (protocol 5.9). */
class ForcedReleaseTest {

    @RegisterExtension
    private final LogLines logged = new LogLines(LeaseNotifier.class.getName());

    private final Bench bench = new Bench();
    private final Bench.Node holder = bench.start("holder");
    private final Bench.Node other = bench.start("other");
    private final Bench.Node operator = bench.start("operator");
    private final Lease lease = holder.acquire("key");
    private final long token = lease.fencingToken();

    @BeforeEach
    void readTheTime() {
        other.sample(2);
        operator.sample(2);
    }

    private CompletableFuture<ForcedRelease> releasing(boolean immediately) {
        return ((LeaseEngine) operator.leases).forceReleaseAsync("key", token, immediately);
    }

    private LeaseLossReason lost() {
        return lease.lost().toCompletableFuture().getNow(null);
    }

    // ---- exclusive

    @Test
    void theHoldersNextRenewalIsRefusedAsRevoked() {
        assertThat(operator.leases.forceRelease("key", token)).isEqualTo(new ForcedRelease.Done("key", token));

        assertThat(lease.isValid()).as("the holder does not know yet").isTrue();
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);
    }

    @Test
    void theProcessOfTheHolderNoticesItsOwnForcedReleaseAtOnce() {
        holder.leases.forceRelease("key", token);

        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);
    }

    /** The reply to a renewal that was sent before tells nothing of the forced release. */
    @Test
    void theProcessOfTheHolderNoticesItsOwnForcedReleaseAtTheEndOfARenewalInFlight() {
        ScriptedStore.Request renewal = renewalInFlight();
        StoreReply applied = renewal.apply();

        holder.leases.forceRelease("key", token);
        assertThat(lost()).isNull();
        renewal.answer(applied);

        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);
    }

    /** The store says that it has released the lease, but has not. */
    @Test
    void anOrderDuringARenewalCausesOneRenewalThoughTheReplyComesAfterTheNext() {
        ScriptedStore.Request renewal = renewalInFlight();
        StoreReply applied = renewal.apply();
        holder.store.next(REVOKE, revoke -> revoke.answer(applied));
        holder.leases.forceRelease("key", token);
        holder.store.verbs();
        bench.advance(Duration.ofSeconds(3)); // the timeout of the renewal and a backoff
        assertThat(holder.store.sent(RENEW)).hasSize(1);

        renewal.answer(applied);
        bench.advance(Duration.ofSeconds(1));

        assertThat(holder.store.sent(RENEW)).hasSize(1);
        assertThat(lease.isValid()).isTrue();
    }

    private ScriptedStore.Request renewalInFlight() {
        holder.store.next(RENEW, LOST);
        bench.advance(Bench.TTL.dividedBy(3));
        return holder.store.last(RENEW);
    }

    @Test
    void anAnswerWithoutACauseIsTriedAgain() {
        operator.store.next(
                REVOKE,
                revoke -> revoke.answer(new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, null, null, false)));

        CompletableFuture<ForcedRelease> releasing = releasing(false);
        bench.advance(Duration.ofSeconds(1));

        assertThat(releasing).isCompletedWithValue(new ForcedRelease.Done("key", token));
    }

    @Test
    void nobodyAcquiresBeforeItsValidityIsOver() {
        bench.advance(Duration.ofSeconds(1));
        holder.store.always(LOST); // learns of nothing, so it stays valid as long as it may
        operator.leases.forceRelease("key", token);

        Optional<Lease> theirs = Optional.empty();
        for (int i = 0; theirs.isEmpty() && i < 400; i++) {
            theirs = other.tryAcquire("key");
            assertThat(theirs.isPresent() && lease.isValid()).isFalse();
            bench.advance(Duration.ofMillis(50));
        }

        assertThat(theirs).isPresent();
        assertThat(theirs.orElseThrow().fencingToken()).isGreaterThan(token);
        assertThat(lost()).isEqualTo(LeaseLossReason.EXPIRED);
    }

    @Test
    void onlyTheVersionChanges() {
        LeaseItem before = bench.item("key");

        operator.leases.forceRelease("key", token);

        LeaseItem after = bench.item("key");
        assertThat(Tenure.tenureOf(after.version())).isEqualTo(Tenure.NOBODY);
        assertThat(after).usingRecursiveComparison().ignoringFields("version").isEqualTo(before);
    }

    @Test
    void itIsFreeWhenItWouldHaveEndedByItself() {
        Instant end = operator.leases.find("key").orElseThrow().expiresAt();
        operator.leases.forceRelease("key", token);
        bench.advance(Duration.between(bench.time.now(), end));
        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);

        bench.advance(Duration.ofSeconds(7));

        assertThat(other.tryAcquire("key")).isPresent();
    }

    @Test
    void theHoldersReleaseAfterwardsFreesNothing() {
        operator.leases.forceRelease("key", token);

        lease.close();

        assertThat(bench.isHeld("key")).isTrue();
        assertThat(other.tryAcquire("key")).isEmpty();
    }

    @Test
    void anObserverCountsAnewFromTheForcedRelease() {
        other.leases.find("key");
        holder.store.always(LOST);
        bench.advance(Bench.TTL.minusSeconds(1));
        operator.leases.forceRelease("key", token);
        other.leases.find("key");

        assertThat(other.leases)
                .extracting("open.parts.observer", as(type(Observer.class)))
                .extracting(seen -> seen.untilDead(bench.item("key"), other.machine.nanos()))
                .isEqualTo(Bench.TTL.toNanos() + BoundedClock.drift(Bench.TTL.toNanos()));
    }

    @Test
    void versionsOfDifferentTokensDifferAndAreOfTheFormOfVersions() {
        assertThat(Revocation.version(token)).isNotEqualTo(Revocation.version(token + 1));
        assertThat(Revocation.version(1_900_000_000_000L)).matches("00000000-0000-0000-0000-000000000000-[0-9a-f]{8}");
        assertThat(Tenure.tenureOf(Revocation.version(Long.MAX_VALUE / 8))).isEqualTo(Tenure.NOBODY);
    }

    @Test
    void theSameCallAgainIsHarmless() {
        operator.leases.forceRelease("key", token);
        LeaseItem revoked = bench.item("key");

        assertThat(operator.leases.forceRelease("key", token).isDone()).isTrue();
        assertThat(bench.item("key")).isEqualTo(revoked);
    }

    @Test
    void itsOwnManagerLearnsOfItAtOnce() {
        holder.leases.forceRelease("key", token);

        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);
        assertThat(holder.leases.held()).isEmpty();
    }

    // ---- at once, when two may run

    @Test
    void immediatelyFreesAtOnceAndTwoMayRun() {
        assertThat(operator.leases.forceRelease("key", token, IMMEDIATELY).isDone())
                .isTrue();

        Lease theirs = other.tryAcquire("key").orElseThrow();

        assertThat(lease.isValid()).isTrue();
        assertThat(theirs.fencingToken()).isGreaterThan(token);
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(lost()).isEqualTo(LeaseLossReason.TAKEN);
        assertThat(theirs.isValid()).isTrue();
    }

    @Test
    void immediatelyKeepsTheItemWithItsTokenAndRunAsLongAsARunIsKept() {
        operator.leases.forceRelease("key", token, IMMEDIATELY);

        LeaseItem item = bench.item("key");
        assertThat(item.version()).isNull();
        assertThat(item.token()).isEqualTo(token);
        assertThat(item.expiry())
                .isGreaterThan(bench.time.now().plus(Duration.ofDays(400)).getEpochSecond());
        assertThat(item.releasedAtMillis()).isNotNull();
        bench.advance(Bench.TTL.dividedBy(3));
        assertThat(lost()).isEqualTo(LeaseLossReason.REVOKED);
    }

    @Test
    void immediatelyStoresNoExpiryBelowTheToken() {
        long far = bench.time.now().plus(Duration.ofDays(30)).toEpochMilli() + 1;
        bench.table.put(
                new LeaseItem("key", Tenure.version(lease().tenure(), 1), 1L, 10_000L, far, "holder", 1L, null));

        operator.leases.forceRelease("key", far, IMMEDIATELY);

        assertThat(bench.item("key").expiry() * 1_000).isGreaterThanOrEqualTo(far);
    }

    private HeldLease lease() {
        return (HeldLease) lease;
    }

    @Test
    void immediatelyFreesAHoldToo() {
        Lease held = holder.acquire(LeaseRequest.of("hold").cooldown(Duration.ofHours(1)));
        held.close();
        assertThat(other.tryAcquire("hold")).isEmpty();

        operator.leases.forceRelease("hold", held.fencingToken(), IMMEDIATELY);

        assertThat(other.tryAcquire("hold")).isPresent();
    }

    // ---- leases that are not held

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anotherTokenIsLeftAloneAndShown(boolean immediately) {
        lease.close();
        Lease theirs = other.acquire("key");
        LeaseItem before = bench.item("key");

        ForcedRelease result = releasing(immediately).join();

        assertThat(result.isDone()).isFalse();
        assertThat(result)
                .isEqualTo(new ForcedRelease.NotHeld(operator.leases.find("key").orElseThrow()));
        assertThat(bench.item("key")).isEqualTo(before);
        assertThat(theirs.isValid()).isTrue();
        assertThat(operator.events).isEmpty();
        assertThat(logged.list).isEmpty();
    }

    @Test
    void aReleasedLeaseIsNotHeld() {
        lease.close();

        assertThat(operator.leases.forceRelease("key", token))
                .isEqualTo(new ForcedRelease.NotHeld(operator.leases.find("key").orElseThrow()));
    }

    @Test
    void anAbsentItemIsNotHeld() {
        assertThat(operator.leases.forceRelease("absent", token)).isEqualTo(new ForcedRelease.NotHeld(null));
        assertThat(bench.table.item("absent")).isEmpty();
    }

    // ---- lost replies, failures

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLostReplyIsDoneByTheNextAttempt(boolean immediately) {
        operator.store.next(REVOKE, REPLY_LOST);
        CompletableFuture<ForcedRelease> releasing = releasing(immediately);

        bench.advance(Duration.ofSeconds(3));

        assertThat(releasing).isCompletedWithValue(new ForcedRelease.Done("key", token));
        assertThat(operator.store.sent(REVOKE)).hasSize(2);
        assertThat(operator.events).hasSize(1);
    }

    @Test
    void aLostReplyOfWhatIsAnothersByNowIsNotHeld() {
        operator.store.next(REVOKE, REPLY_LOST);
        CompletableFuture<ForcedRelease> releasing = releasing(true);
        other.acquire("key");

        bench.advance(Duration.ofSeconds(3));

        assertThat(releasing).isCompletedWithValueMatching(result -> !result.isDone());
        assertThat(bench.isHeld("key")).isTrue();
    }

    /** Its next heartbeat would tell the former holder only seconds later. */
    @Test
    void whateverALostReplySaysTheFormerHolderOfThisProcessLearnsAtOnceThatItsLeaseIsAnothersByNow() {
        holder.store.next(REVOKE, REPLY_LOST);
        CompletableFuture<ForcedRelease> releasing =
                ((LeaseEngine) holder.leases).forceReleaseAsync("key", token, true);
        other.acquire("key");

        bench.advance(Duration.ofMillis(2_500));

        assertThat(releasing).isCompletedWithValueMatching(result -> !result.isDone());
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aLateCopyTouchesNoLaterLease() {
        operator.store.next(REVOKE, REPLY_LOST);
        releasing(true);
        Lease theirs = other.acquire("key");
        LeaseItem before = bench.item("key");

        operator.store.last(REVOKE).apply();

        assertThat(bench.item("key")).isEqualTo(before);
        assertThat(theirs.isValid()).isTrue();
    }

    @Test
    void anOutageIsAStoreFailureAfterTheStoreTimeout() {
        operator.store.always(REVOKE, refused("Throttled"));
        CompletableFuture<ForcedRelease> releasing = releasing(false);

        bench.advance(Duration.ofSeconds(4));
        assertThat(releasing).isNotDone();
        bench.advance(Duration.ofSeconds(3));

        assertThat(releasing)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseStoreException.class)
                .withMessage("Lease 'key' in table 'scripted': Throttled");
    }

    @Test
    void aStoreThatRejectsIsAFailureAtOnce() {
        operator.store.next(REVOKE, request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));

        assertThatThrownBy(() -> operator.leases.forceRelease("key", token))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease 'key' in table 'scripted': AccessDeniedException");
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void itsClockIsReadFirst() {
        Bench.Node fresh = bench.start("fresh");

        fresh.leases.forceRelease("key", token, IMMEDIATELY);

        assertThat(fresh.store.verbs()).containsExactly(READ, REVOKE);
    }

    @Test
    void aClosedManagerReleasesNothingByForce() {
        operator.leases.close();

        assertThatThrownBy(() -> operator.leases.forceRelease("key", token))
                .isExactlyInstanceOf(LeaseException.class)
                .hasMessage("Lease manager of owner 'operator' is closed");
    }

    @Test
    void keyAndTokenAreChecked() {
        assertThatThrownBy(() -> operator.leases.forceRelease(" ", token)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> operator.leases.forceRelease("key", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("fencingToken is 0 for lease key 'key', expected the token of the lease to release, as"
                        + " 'find' returns it");
    }

    // ---- an acquire in flight

    @Test
    void anAcquireUnderWayWhoseLeaseWasRevokedIsUnavailable() {
        Bench.Node slow = bench.start("slow");
        slow.sample(2);
        slow.store.next(ACQUIRE, REPLY_LOST);
        CompletableFuture<Optional<Lease>> acquiring = slow.acquiring("slow");
        operator.leases.forceRelease("slow", bench.item("slow").token());

        bench.advance(Duration.ofSeconds(3));

        assertThat(acquiring).isCompletedWithValue(Optional.empty());
    }

    // ---- events and logs

    @Test
    void bothAreToldAndLogged() {
        operator.leases.forceRelease("key", token);
        operator.leases.forceRelease("key", token, IMMEDIATELY);

        assertThat(operator.events)
                .containsExactly(
                        new LeaseEvent.ForceReleased("key", "operator", token, false),
                        new LeaseEvent.ForceReleased("key", "operator", token, true));
        assertThat(logged.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.INFO, Level.WARN);
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "Lease 'key' with token " + token
                                + " was released by force: its renewals are refused, and it is"
                                + " free when it would have expired",
                        "Lease 'key' with token " + token + " was freed at once by force: its holder may still run, so"
                                + " two may run now");
        assertThat(operator.events.get(0))
                .hasToString("ForceReleased[key='key', by='operator', fencingToken=" + token + ", immediately=false]");
    }
}
