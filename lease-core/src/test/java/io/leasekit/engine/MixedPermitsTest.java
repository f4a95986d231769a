package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.records.RecordTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Processes name different numbers of permits of one key, as while a new version is rolled out (protocol 6.6). */
class MixedPermitsTest {

    private static final LeaseRequest TWO = LeaseRequest.of("key").permits(2);
    private static final LeaseRequest THREE = LeaseRequest.of("key").permits(3);

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node old = bench.start("old");
    private final Bench.Node renewed = bench.start("new");

    private List<String> warnings() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private static List<Lease> acquireAll(Bench.Node node, LeaseRequest request) {
        List<Lease> leases = new ArrayList<>();
        for (Optional<Lease> next = node.tryAcquire(request); next.isPresent(); next = node.tryAcquire(request)) {
            leases.add(next.get());
        }
        return leases;
    }

    @Test
    void theItemShowsTheNumberThatItsAcquireNamed() {
        Lease lease = old.acquire(TWO);

        assertThat(bench.item("key#permit=" + lease.slot()).records().number(RecordTable.PERMITS))
                .isEqualTo(2);
    }

    /** The look was asked for before the caller came, and sent after it, so it shows all slots of both. */
    @Test
    void aLookAtFewerSlotsDoesNotRefuseACallerForMore() {
        acquireAll(old, TWO);
        renewed.leases.acquireAsync(TWO.waitFor(Duration.ofMinutes(1)));
        bench.advance(Duration.ofSeconds(5));
        renewed.store.always(ScriptedStore.Verb.ACQUIRE, ScriptedStore.LOST);
        for (int i = 0; i < 32; i++) {
            renewed.leases.acquireAsync(LeaseRequest.of("busy-" + i));
        }
        bench.advance(Duration.ofMillis(1_500)); // a look waits for its turn
        renewed.store.heal();
        renewed.store.verbs();

        CompletableFuture<Optional<Lease>> third = renewed.leases.acquireAsync(THREE);
        bench.advance(Duration.ofSeconds(10));

        assertThat(third.join())
                .hasValueSatisfying(lease -> assertThat(lease.slot()).isEqualTo(2));
        assertThat(renewed.store.sent(ScriptedStore.Verb.READ_EACH))
                .first()
                .satisfies(look -> assertThat(look.keys()).hasSize(3));
    }

    @Test
    void whileTheNumberIsRaisedTheNewOneCounts() {
        List<Lease> leases = acquireAll(old, TWO);

        leases.addAll(acquireAll(renewed, THREE));

        assertThat(leases)
                .extracting(Lease::slot)
                .containsExactlyInAnyOrder(0, 1, 2)
                .hasSize(3);
        assertThat(old.tryAcquire(TWO)).isEmpty();
        assertThat(leases).allMatch(Lease::isValid);
    }

    @Test
    void whileTheNumberIsLoweredTheOldOneCountsUntilItsLastLeaseEnds() {
        List<Lease> leases = acquireAll(old, THREE);
        leases.sort(Comparator.comparing(Lease::slot));
        leases.get(0).close();
        leases.get(1).close();

        List<Lease> lowered = acquireAll(renewed, TWO);

        assertThat(lowered).extracting(Lease::slot).containsExactlyInAnyOrder(0, 1);
        assertThat(leases.get(2).isValid()).isTrue(); // so three hold the key

        leases.get(2).close();
        assertThat(renewed.tryAcquire(TWO)).isEmpty();
    }

    @Test
    void noCallerGetsASlotBeyondItsOwnNumber() {
        old.acquire(THREE).close();
        List<Lease> lowered = acquireAll(renewed, TWO);
        CompletableFuture<Optional<Lease>> waiter = renewed.leases.acquireAsync(TWO.waitFor(Duration.ofMinutes(10)));

        bench.advance(Duration.ofMinutes(1));

        assertThat(lowered).extracting(Lease::slot).containsExactlyInAnyOrder(0, 1);
        assertThat(waiter).isNotDone();
    }

    @Test
    void anotherNumberIsOneWarning() {
        acquireAll(old, THREE);
        CompletableFuture<Optional<Lease>> waiter = renewed.leases.acquireAsync(TWO.waitFor(Duration.ofMinutes(10)));

        bench.advance(Duration.ofSeconds(30));
        acquireAll(renewed, TWO);

        assertThat(waiter).isNotDone();
        assertThat(warnings())
                .singleElement()
                .asString()
                .matches(
                        "Lease 'key' has 2 permits here, but owner 'old' acquired slot [01] of 3: up to 3 callers hold it"
                                + " until all leases with the larger number have ended");
    }

    @Test
    void theSameNumberIsNoWarning() {
        acquireAll(old, TWO);
        renewed.tryAcquire(TWO);

        assertThat(warnings()).isEmpty();
    }
}
