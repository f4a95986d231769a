package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.broken;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseLossReason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.event.KeyValuePair;

/** Log lines above DEBUG: none in normal operation, one for each problem. */
class LogsTest {

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private List<String> warnings() {
        return logged.list.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void nothingWhileAllGoesWell() {
        Lease lease = here.acquire("key");
        bench.start("there").tryAcquire("key");
        bench.advance(Duration.ofMinutes(10));
        lease.close();
        here.leases.closeAsync();
        bench.advance(Duration.ofMinutes(1));

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aLostLeaseIsOneLineWithReasonTokenAndHowLongItWasHeld() {
        Lease lease = here.acquire("key");
        bench.table.remove("key");
        bench.advance(Bench.TTL);
        lease.close();
        bench.advance(Bench.TTL);

        assertThat(logged.list)
                .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getLevel()).isEqualTo(Level.WARN);
                    assertThat(line.getFormattedMessage()).startsWith("Lease 'key' was lost: REVOKED, after 3 s");
                    assertThat(line.getKeyValuePairs())
                            .extracting(pair -> pair.key)
                            .containsExactly("lease", "owner", "token", "reason", "heldFor");
                    assertThat(line.getKeyValuePairs())
                            .filteredOn(pair -> !pair.key.equals("heldFor"))
                            .extracting((KeyValuePair pair) -> pair.value)
                            .containsExactly("key", "here", lease.fencingToken(), LeaseLossReason.REVOKED);
                });
    }

    @Test
    void aLeaseAtRiskIsOneLineUntilARenewalGetsThrough() {
        here.acquire("key");
        here.acquire("other"); // the table answers, so this is no outage
        here.store.always("key", broken("Broken"));
        bench.advance(Duration.ofSeconds(9));

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("Lease 'key' is at risk: ")
                .endsWith(" left and no renewal has succeeded: Broken");
    }

    @Test
    void aLeaseAtRiskWhoseRenewalsAreNotAnsweredSaysSo() {
        here.acquire("key");
        here.acquire("other");
        here.store.always("key", ScriptedStore.LOST);
        bench.advance(Duration.ofSeconds(9));

        assertThat(warnings())
                .singleElement()
                .asString()
                .endsWith(" no renewal has succeeded: No reply of table 'scripted' within 2 s");
    }

    @Test
    void aLocalClockFarFromTheStoresIsOneLineUntilItIsSetRight() {
        here.machine.jumpWallClock(Duration.ofMinutes(-6));
        here.sample(3);
        assertThat(warnings())
                .singleElement()
                .asString()
                .matches("Local clock is (6 min|5 min 59 s) behind that of the lease table's servers; leases do"
                        + " not depend on it, but correct it");

        here.machine.jumpWallClock(Duration.ofMinutes(6));
        here.sample(3);
        assertThat(warnings()).hasSize(1);

        here.machine.jumpWallClock(Duration.ofMinutes(6));
        here.sample(3);
        assertThat(warnings()).hasSize(2).last().asString().contains(" ahead of ");
    }

    @Test
    void aLocalClockThatIsSomeMinutesOffIsNoTrouble() {
        here.machine.jumpWallClock(Duration.ofMinutes(4));
        here.sample(3);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aMonitorThatFailsIsOneLine() {
        Bench.Node node = bench.start(
                "node",
                builder -> builder.monitor(measurement -> {
                    throw new IllegalStateException("Out of order");
                }));
        node.acquire("key");
        bench.advance(Bench.TTL);

        assertThat(warnings())
                .singleElement()
                .asString()
                .startsWith("Lease monitor io.leasekit.engine.LogsTest")
                .endsWith(" failed; leases are not affected, and its further failures are not logged");
    }
}
