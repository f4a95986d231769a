package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasekit.Lease;
import io.leasekit.LeaseException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.internal.AcquireRefusal;
import io.leasekit.store.AcquireCommand;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A refused acquire says what had to be free. */
class RefusalTextsTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.pauses(true));
    private final Bench.Node other = bench.start("other", builder -> builder.pauses(true));

    private String refusal(LeaseRequest request) {
        LeaseException refusal = catchThrowableOfType(LeaseException.class, () -> here.leases.acquire(request));
        assertThat(refusal).isExactlyInstanceOf(LeaseUnavailableException.class);
        return refusal.getMessage();
    }

    private static String of(Lease lease) {
        return "(token " + lease.fencingToken() + ", acquired at ";
    }

    @Test
    void anotherOwner() {
        Lease theirs = other.acquire("key");

        assertThat(refusal(LeaseRequest.of("key"))).startsWith("Lease 'key' is held by owner 'other' " + of(theirs));
    }

    @Test
    void anotherCallerOfThisProcess() {
        Lease ours = here.acquire("key");

        assertThat(refusal(LeaseRequest.of("key")))
                .startsWith("Lease 'key' is held by another caller of this process, owner 'here' " + of(ours));
    }

    @Test
    void aGrantOfThisProcessSaysItsEnd() {
        here.store.next(ACQUIRE, LOST);
        var unused = here.waiting("key");
        var refused = here.leases.acquireAsync(LeaseRequest.of("key"));

        here.store.sent(ACQUIRE).get(0).deliver();

        assertThat(((AcquireRefusal) refused).refusal())
                .hasMessageStartingWith("Lease 'key' is held by another caller of this process, owner 'here' (token ")
                .hasMessageContaining(" until ");
    }

    @Test
    void aHoldSaysItsEnd() {
        other.acquire(LeaseRequest.of("key").cooldown(LONG)).close();

        assertThat(refusal(LeaseRequest.of("key")))
                .startsWith("Lease 'key' is released, but kept from others until "
                        + other.leases.find("key").orElseThrow().expiresAt() + " by a hold of owner 'other' (token ")
                .doesNotContain("renewed");
    }

    @Test
    void aShortHoldOfThisProcessSaysItsEndToo() {
        here.acquire(LeaseRequest.of("key").holdAtLeast(Duration.ofSeconds(5))).close();

        assertThat(refusal(LeaseRequest.of("key")))
                .startsWith("Lease 'key' is released, but kept from others until ")
                .contains(" by a hold of owner 'here' (token ");
    }

    @Test
    void oneKeyOfSeveral() {
        other.acquire("b");

        assertThat(refusal(LeaseRequest.ofAll("a", "b", "c")))
                .startsWith("Lease 'b' of 'a', 'b', 'c' is held by owner 'other' (token ");
    }

    @Test
    void thePermitsOfThisProcess() {
        LeaseRequest request = LeaseRequest.of("key").permits(5).permitsPerNode(2);
        here.acquire(request);
        here.acquire(request);

        assertThat(refusal(request))
                .startsWith(
                        "Lease 'key' is not available: this process holds 2 of at most 2 per node, of 5 permits in all,"
                                + " waited ");
    }

    @Test
    void allPermitsInThisProcess() {
        LeaseRequest request = LeaseRequest.of("key").permits(2);
        here.acquire(request);
        here.acquire(request);

        assertThat(refusal(request))
                .startsWith("Lease 'key' is not available: this process holds 2 of at most 2 permits, waited ");
    }

    @Test
    void allPermitsOfAllProcesses() {
        LeaseRequest request = LeaseRequest.of("key").permits(3);
        here.acquire(request);
        other.acquire(request);
        other.acquire(request);

        assertThat(refusal(request))
                .startsWith(
                        "Lease 'key' is not available: all 3 permits are taken; this process holds 1, and one is held by"
                                + " owner 'other' (token ");
    }

    @Test
    void othersThatAreFasterAtEachPermit() {
        here.store.always(ACQUIRE, request -> {
            String slot = ((AcquireCommand) request.command).key();
            long expiry = bench.time.now().getEpochSecond() + 60;
            bench.table.put(
                    new LeaseItem(slot, UUID.randomUUID() + "-00000001", expiry, 60_000L, 7L, "third", 1L, null));
            request.deliver();
            bench.table.remove(slot); // so the look shows it as free
        });

        assertThat(refusal(LeaseRequest.of("key").permits(2)))
                .startsWith("Lease 'key' is not available: others acquired each free permit first, of 2 permits in all,"
                        + " waited ");
    }

    @Test
    void aCallThatWaitedForAPermitNamesTheLimitToo() {
        LeaseRequest request =
                LeaseRequest.of("key").permits(2).permitsPerNode(1).waitFor(Duration.ofSeconds(3));
        here.acquire(request);
        var waiting = here.leases.acquireAsync(request);
        bench.advance(Duration.ofSeconds(10));

        assertThat(waiting).isCompletedWithValueMatching(java.util.Optional::isEmpty);
        assertThat(((io.leasekit.internal.AcquireRefusal) waiting).refusal())
                .hasMessageStartingWith(
                        "Lease 'key' is not available: this process holds 1 of at most 1 per node, of 2 permits in all,"
                                + " waited ");
    }

    @Test
    void aPauseOfAPrefixIsNamed() {
        other.leases.pauses().pause("ord*", bench.time.now().plus(LONG), "migration", "anna");

        assertThat(refusal(LeaseRequest.of("order")))
                .contains(" is paused until ")
                .contains(" by 'anna' with 'ord*' ('migration'), waited ");
    }
}
