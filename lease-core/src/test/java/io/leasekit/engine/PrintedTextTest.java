package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.ACQUIRE;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseLostException;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import io.leasekit.text.Text;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Keys and owners, also those read from the table, are escaped and cut at 128 characters wherever they are printed. */
class PrintedTextTest {

    private static final String NASTY = "a\nb\u202ec\u0000" + "x".repeat(200);
    private static final String PRINTED = "'a\\u000ab\\u202ec\\u0000" + "x".repeat(122) + "…'";

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start(NASTY);

    private static void assertPrinted(String text) {
        assertThat(text).contains(PRINTED).doesNotContain("\n", "\u202e", "\u0000", "x".repeat(123));
    }

    @Test
    void plainTextStaysAsItIs() {
        assertThat(Text.quote("jobs/nightly:ä 🙂")).isEqualTo("'jobs/nightly:ä 🙂'");
        assertThat(Text.quote(null)).isEqualTo("nobody");
    }

    @Test
    void textIsCutAfter128Characters() {
        assertThat(Text.plain("x".repeat(128))).isEqualTo("x".repeat(128));
        assertThat(Text.plain("x".repeat(129))).isEqualTo("x".repeat(128) + "…");
    }

    @Test
    void inTheTextOfAnUnavailableLease() {
        bench.table.put(
                new LeaseItem(NASTY, Tenure.version(Tenure.NOBODY, 1), 9_000_000_000L, 10_000L, 1L, NASTY, null, null));

        assertThatThrownBy(() -> here.leases.acquire(LeaseRequest.of(NASTY)))
                .isInstanceOf(LeaseUnavailableException.class)
                .satisfies(e -> assertPrinted(e.getMessage()))
                .hasMessageContaining("owner " + PRINTED);
    }

    @Test
    void inTheTextOfAStoreFailure() {
        here.store.always(refused("Throttled"));

        assertThatThrownBy(() -> here.leases.find(NASTY))
                .isInstanceOf(LeaseStoreException.class)
                .satisfies(e -> assertPrinted(e.getMessage()));
    }

    @Test
    void inTheTextOfALostLease() {
        Lease lease = here.acquire(NASTY);
        bench.table.remove(NASTY);
        bench.advance(Bench.TTL);

        assertThatThrownBy(lease::ensureValid)
                .isInstanceOf(LeaseLostException.class)
                .satisfies(e -> assertPrinted(e.getMessage()))
                .hasMessageContaining("of owner " + PRINTED);
    }

    @Test
    void inTheTextOfAClosedManager() {
        here.leases.close();

        assertThatThrownBy(() -> here.leases.tryAcquire("key")).satisfies(e -> assertPrinted(e.getMessage()));
    }

    @Test
    void asStrings() {
        Lease lease = here.acquire(NASTY);

        assertPrinted(lease.toString());
        assertPrinted(LeaseRequest.of(NASTY).toString());
        assertPrinted(here.leases.find(NASTY).orElseThrow().toString());
    }

    @Test
    void eventsAsStrings() {
        Lease lease = here.acquire(NASTY);
        here.leases.acquireAsync(LeaseRequest.of(NASTY)).join();
        here.store.always(LOST);
        bench.advance(Bench.TTL);
        lease.close();

        assertThat(here.events).hasSize(4).allSatisfy(event -> assertPrinted(event.toString()));
    }

    @Test
    void itemsAndCommandsAsStrings() {
        bench.table.put(new LeaseItem(NASTY, NASTY, 1L, 1L, 1L, NASTY, 1L, 1L));
        Lease lease = here.acquire(NASTY);
        bench.advance(Bench.TTL);
        lease.close();

        assertPrinted(bench.item(NASTY).toString());
        for (ScriptedStore.Verb verb : List.of(ACQUIRE, RENEW, RELEASE)) {
            assertPrinted(here.store.last(verb).command.toString());
        }
    }

    @Test
    void inLogs() {
        Lease lost = here.acquire(NASTY);
        Lease released = here.acquire(NASTY + "2");
        here.store.always(LOST);
        released.releaseAsync();
        bench.advance(Duration.ofMinutes(1));

        assertThat(lost.isValid()).isFalse();
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(text -> text.contains("ease '"))
                .isNotEmpty()
                .allSatisfy(PrintedTextTest::assertPrinted);
        assertThat(logged.list)
                .flatExtracting(event -> event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs())
                .extracting(Object::toString)
                .allSatisfy(pair -> assertThat(pair).doesNotContain("\n", "\u202e", "x".repeat(123)));
    }
}
