package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.READ;
import static io.leasekit.engine.ScriptedStore.broken;
import static io.leasekit.engine.ScriptedStore.refused;
import static io.leasekit.time.EngineTime.MILLI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.store.StoreReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A failing store is a {@link LeaseStoreException}. A lease that another owner holds is not. */
class StoreFailureTest {

    private static final String WHY = "Service Unavailable";

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    static Stream<Consumer<ScriptedStore.Request>> outages() {
        return Stream.of(refused(WHY), broken(WHY), request -> {
            throw new IllegalStateException(WHY);
        });
    }

    /** The last look at a lease begins when the wait is over, and a thread sends it a little later. */
    @Test
    void aSenderThatTakesAMomentMakesNoFailureOfAnEndedWait() {
        Bench.Node node = bench.start(
                "node", builder -> ((EngineBuilder) builder).sender(task -> bench.time.schedule(MILLI, task)));
        here.acquire("key");
        CompletableFuture<Optional<Lease>> waiting =
                node.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofSeconds(8)));

        bench.advance(Duration.ofSeconds(9));

        assertThat(waiting.join()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("outages")
    void anOutageIsAStoreFailureWithItsCauseAndNeverUnavailable(Consumer<ScriptedStore.Request> outage) {
        here.sample(2);
        here.store.always(ACQUIRE, outage);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");

        bench.advance(Duration.ofSeconds(4));
        assertThat(acquiring).as("retried until the store timeout").isNotDone();
        bench.advance(Duration.ofSeconds(3));

        assertThat(acquiring)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(LeaseStoreException.class)
                .withMessage("Lease 'key' in table 'scripted': " + WHY)
                .havingCause()
                .isInstanceOf(IllegalStateException.class)
                .withMessage(WHY);
        assertThat(here.events).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("outages")
    void anOutageShorterThanTheStoreTimeoutIsNoFailure(Consumer<ScriptedStore.Request> outage) {
        here.store.next(READ, outage);
        here.store.next(ACQUIRE, outage, outage, outage);
        CompletableFuture<Optional<Lease>> acquiring = here.acquiring("key");

        bench.advance(Duration.ofSeconds(3));

        assertThat(acquiring).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void aStoreThatRejectsIsAFailureAtOnce() {
        here.store.next(ACQUIRE, request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));

        assertThatThrownBy(() -> here.leases.tryAcquire("key"))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease 'key' in table 'scripted': AccessDeniedException")
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(here.store.verbs()).containsExactly(READ, ACQUIRE);
    }

    @Test
    void aRejectedFirstReadIsAFailureAtOnceAlsoForAWaitWithoutEnd() {
        here.store.always(READ, request -> request.fail(StoreReply.FailureKind.REJECTED, "AccessDeniedException"));

        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(LeaseRequest.UNLIMITED));

        assertThatThrownBy(acquiring::join)
                .hasCauseInstanceOf(LeaseStoreException.class)
                .hasMessageContaining("AccessDeniedException");
        assertThat(here.store.verbs()).containsExactly(READ);
    }

    @Test
    void aReadOfTheTimeThatIsRejectedForItsKeyFailsNoCallerOfAnotherKey() {
        here.store.always(READ, request -> {
            if (!request.keys().contains("malformed")) {
                request.deliver();
            }
        });
        CompletableFuture<Optional<Lease>> malformed = here.leases.acquireAsync(LeaseRequest.of("malformed"));
        CompletableFuture<Optional<Lease>> other = here.leases.acquireAsync(LeaseRequest.of("other"));
        assertThat(here.store.sent(READ)).as("one read for both").hasSize(1);

        here.store.last(READ).fail(StoreReply.FailureKind.REJECTED, "Item is not a lease");

        assertThat(other).isCompletedWithValueMatching(Optional::isPresent);
        assertThatThrownBy(malformed::join).hasMessageContaining("'malformed'").hasMessageContaining("not a lease");
    }

    @Test
    void aWaiterWaitsThroughAnOutageAsLongAsForALease() {
        here.store.always(LOST);
        CompletableFuture<Optional<Lease>> acquiring =
                here.leases.acquireAsync(LeaseRequest.of("key").waitFor(Duration.ofMinutes(1)));
        bench.advance(Duration.ofSeconds(50));
        assertThat(acquiring).isNotDone();
        here.store.heal();

        bench.advance(Duration.ofSeconds(4));

        assertThat(acquiring).isCompletedWithValueMatching(Optional::isPresent);
    }

    @Test
    void anotherHolderIsUnavailableWithWhatTheTableShows() {
        Lease held = bench.start("other").acquire("key");

        assertThat(here.leases.tryAcquire("key")).isEmpty();
        assertThatThrownBy(() -> here.leases.acquire(LeaseRequest.of("key")))
                .isInstanceOfSatisfying(LeaseUnavailableException.class, e -> {
                    assertThat(e.holder()).isEqualTo(here.leases.find("key"));
                    assertThat(e.holder().orElseThrow().fencingToken()).isEqualTo(held.fencingToken());
                })
                .hasMessage("Lease 'key' is held by owner 'other' (token " + held.fencingToken() + ", acquired at "
                        + "2027-01-15T08:00:00.500Z, until 2027-01-15T08:00:12Z if it is not renewed), waited 0 s");
    }

    @Test
    void anUnavailableLeaseIsAnEvent() {
        bench.start("other").acquire("key");

        here.tryAcquire("key");

        assertThat(here.events)
                .containsExactly(new LeaseEvent.Unavailable(
                        "key", here.leases.find("key").orElseThrow()));
    }

    @Test
    void theWorkRunsNotWhereTheLeaseIsUnavailable() {
        bench.start("other").acquire("key");

        assertThatThrownBy(() -> here.leases.run("key", () -> {
                    throw new AssertionError("ran");
                }))
                .isInstanceOf(LeaseUnavailableException.class);
        assertThat(here.leases.tryCall(LeaseRequest.of("key"), lease -> "ran")).isEmpty();
    }

    @Test
    void aFindThatFailsIsAStoreFailure() {
        here.store.always(refused(WHY));

        assertThatThrownBy(() -> here.leases.find("key"))
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("Lease 'key' in table 'scripted': " + WHY);
    }

    private static StoreReply failed(Throwable cause) {
        return new StoreReply.Failed(StoreReply.FailureKind.UNKNOWN, cause, null, false);
    }

    @Test
    void aFailureThatCannotBeDescribedLeavesNobodyWaiting() {
        here.sample(2);
        here.store.next(
                ACQUIRE,
                request -> request.answer(failed(new IllegalStateException() {
                    @Override
                    public String getMessage() {
                        throw new IllegalStateException("no text, by design");
                    }
                })));

        assertThat(here.acquiring("key"))
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isExactlyInstanceOf(LeaseException.class)
                .withMessage("Acquire of lease 'key' failed");
    }
}
