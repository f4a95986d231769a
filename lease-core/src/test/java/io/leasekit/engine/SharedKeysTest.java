package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.records.AcquireText;
import io.leasekit.store.LeaseItem;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two applications that use the same keys of one table. */
class SharedKeysTest {

    private static final String FIX = ": both use this key in table 'scripted'. To separate them, set a different"
            + " 'lease.key-prefix' in each; if they share keys on purpose, set 'lease.key-sharing' to true";

    @RegisterExtension
    private final LogLines logged = new LogLines("io.leasekit.engine.SharedKeys");

    private final Bench bench = new Bench();
    private final Bench.Node orders = bench.start("orders-1", builder -> builder.application("orders"));
    private final Bench.Node billing = bench.start("billing-1", builder -> builder.application("billing"));

    /** A node of a version that knows no applications, or of an application without a name. */
    private final Bench.Node unnamed = bench.start("old-1");

    private List<String> lines() {
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static String held(String key) {
        return "Lease '" + key
                + "' is held by application 'billing' (owner 'billing-1'), but this is application 'orders'" + FIX;
    }

    private static void run(Bench.Node node, LeaseRequest run) {
        Lease lease = node.acquire(run);
        lease.recordRun(LeaseRunOutcome.SUCCEEDED);
        lease.close();
    }

    // ---- which items tell it

    @Test
    void eachAcquireTellsItsApplication() {
        billing.acquire("key").close();
        assertThat(AcquireText.APPLICATION.of(bench.item("key"))).isEqualTo("billing");
        assertThat(billing.leases.find("key")).map(LeaseInfo::application).contains("billing");

        orders.acquire("key");

        assertThat(AcquireText.APPLICATION.of(bench.item("key"))).isEqualTo("orders");
        assertThat(unnamed.leases.list().leases())
                .extracting(LeaseInfo::application)
                .containsExactly("orders");
        assertThat(lines()).isEmpty(); // the lease was free, so nothing was taken
    }

    @Test
    void renewalsReleasesAndForcedReleasesKeepIt() {
        Lease lease = billing.acquire("key");
        bench.advance(Duration.ofMinutes(1));
        orders.leases.forceRelease("key", lease.fencingToken());
        assertThat(AcquireText.APPLICATION.of(bench.item("key"))).isEqualTo("billing");
        lease.close();

        assertThat(AcquireText.APPLICATION.of(bench.item("key"))).isEqualTo("billing");
    }

    @Test
    void groupsPermitsPassiveLeasesAndRunsTellItToo() {
        billing.acquire(LeaseRequest.ofAll("a", "b"));
        billing.acquire(LeaseRequest.of("c").permits(2));
        billing.acquire(LeaseRequest.of("d").passive());
        billing.acquire(LeaseRequest.of("e").once("any"));

        assertThat(bench.table.items().values())
                .hasSize(6) // with that of the run
                .extracting(AcquireText.APPLICATION::of)
                .containsOnly("billing");
    }

    // ---- who is warned

    @Test
    void aHolderOfAnotherApplicationIsOneWarning() {
        billing.acquire("key");

        assertThat(orders.tryAcquire("key")).isEmpty();
        assertThat(orders.tryAcquire("key")).isEmpty();
        orders.waiting("key");
        bench.advance(Duration.ofMinutes(2));

        assertThat(lines()).containsExactly(held("key"));
    }

    @Test
    void eachKeyHasItsWarning() {
        billing.acquire("a");
        billing.acquire("b");

        orders.tryAcquire("a");
        orders.tryAcquire("b");

        assertThat(lines()).containsExactly(held("a"), held("b"));
    }

    @Test
    void aLeaderOfAnotherApplicationIsOneWarning() {
        Leaders leaders = new Leaders();
        leaders.elect(billing.leases, "ingest", lease -> {
            orders.leases.elect(LeaseRequest.of("ingest"), other -> {});
            bench.advance(Duration.ofMinutes(1));
        });
        leaders.runNext();

        assertThat(lines()).containsExactly(held("ingest"));
    }

    @ParameterizedTest
    @EnumSource
    void aRunOfAnotherApplicationIsOneWarning(OnceOrder order) {
        LeaseRequest run = LeaseRequest.of("clean-up").once("2026-11-25T03:00:00Z", order);
        run(billing, run);

        assertThat(orders.tryAcquire(run)).isEmpty();
        assertThat(orders.tryAcquire(run)).isEmpty();

        assertThat(lines())
                .containsExactly(
                        "Run '2026-11-25T03:00:00Z' of lease 'clean-up' was done by application 'billing' (owner"
                                + " 'billing-1'), but this is application 'orders'" + FIX);
    }

    @Test
    void aPermitOfAnotherApplicationIsOneWarning() {
        billing.acquire(LeaseRequest.of("key").permits(2));
        billing.acquire(LeaseRequest.of("key").permits(2));

        assertThat(orders.tryAcquire(LeaseRequest.of("key").permits(2))).isEmpty();

        assertThat(lines()).containsExactly(held("key"));
    }

    @Test
    void oneKeyOfSeveralIsOneWarning() {
        billing.acquire("b");

        assertThat(orders.tryAcquire(LeaseRequest.ofAll("a", "b", "c"))).isEmpty();

        assertThat(lines()).containsExactly(held("b"));
    }

    @Test
    void aKeyThatIsKeptByAHoldIsOneWarning() {
        billing.acquire(LeaseRequest.of("key").cooldown(Duration.ofMinutes(5))).close();

        assertThat(orders.tryAcquire("key")).isEmpty();

        assertThat(lines()).containsExactly(held("key"));
    }

    @Test
    void namesFromTheTableCannotBreakALogLine() {
        Bench.Node nasty = bench.start("o", builder -> builder.application("a\nb" + "c".repeat(500)));
        nasty.acquire("key");

        orders.tryAcquire("key");

        assertThat(lines())
                .singleElement()
                .asString()
                .contains("application 'a\\u000ab" + "c".repeat(125) + "…' (owner");
    }

    @Test
    void keysAsManyAsOrdersDoNotFloodTheLog() {
        for (int i = 0; i < 50; i++) {
            billing.acquire("order-" + i);
            orders.tryAcquire("order-" + i);
        }

        assertThat(lines())
                .hasSize(21)
                .last()
                .isEqualTo(
                        "More than 20 keys of application 'orders' are used by other applications in table 'scripted',"
                                + " too; further ones are not logged");
    }

    // ---- who is not

    private void assertQuiet(Bench.Node holder, Consumer<String> asks) {
        holder.acquire("key");
        asks.accept("key");
        assertThat(lines()).isEmpty();
    }

    @Test
    void nodesOfTheSameApplicationAreNoNews() {
        Bench.Node second = bench.start("orders-2", builder -> builder.application("orders"));

        assertQuiet(second, orders::tryAcquire);
    }

    @Test
    void anOwnerWithoutAnApplicationIsNoNews() {
        assertQuiet(unnamed, orders::tryAcquire);
    }

    @Test
    void anApplicationWithoutANameWarnsOfNobody() {
        assertQuiet(billing, unnamed::tryAcquire);
    }

    @Test
    void keysThatAreSharedOnPurposeAreNoNews() {
        Bench.Node sharing =
                bench.start("orders-3", builder -> builder.application("orders").keySharing(true));

        assertQuiet(billing, sharing::tryAcquire);
        assertThat(AcquireText.APPLICATION.of(bench.item("key"))).isEqualTo("billing");
        sharing.acquire("other");
        assertThat(AcquireText.APPLICATION.of(bench.item("other")))
                .as("others may not share")
                .isEqualTo("orders");
    }

    @Test
    void looksForPeopleWarnOfNothing() {
        assertQuiet(billing, key -> {
            orders.leases.find(key);
            orders.leases.list();
            orders.leases.watch(key, seen -> {});
            bench.advance(Duration.ofSeconds(10));
        });
    }

    /** Nodes of the version before write no application, and leave the attribute of an earlier acquire as it is. */
    @Test
    void anOwnerOfTheVersionBeforeHasNotTheApplicationOfTheOwnerBefore() {
        billing.acquire("key").close();
        Lease old = unnamed.acquire("key");

        assertThat(orders.tryAcquire("key")).isEmpty();
        assertThat(unnamed.leases.find("key")).map(LeaseInfo::application).isEmpty();
        old.close();

        assertThat(unnamed.leases.find("key")).map(LeaseInfo::application).isEmpty();
        assertThat(lines()).isEmpty();
    }

    /** It changes the version and the expiry only. */
    @Test
    void aClientOfAnotherKindHasNotTheApplicationOfTheOwnerBefore() {
        billing.acquire("key").close();
        LeaseItem item = bench.item("key");
        bench.table.put(new LeaseItem(
                "key",
                "crate",
                bench.time.now().getEpochSecond() + 60,
                null,
                item.token(),
                item.owner(),
                item.acquiredAtMillis(),
                item.releasedAtMillis(),
                null,
                item.records()));

        assertThat(orders.tryAcquire("key")).isEmpty();

        assertThat(orders.leases.find("key")).map(LeaseInfo::application).isEmpty();
        assertThat(lines()).isEmpty();
    }

    /** The run is older than the owner that the item shows: nobody knows its application. */
    @Test
    void aRunOfAnEarlierOwnerIsNoNews() {
        LeaseRequest run = LeaseRequest.of("key").once("a", OnceOrder.GROWING);
        run(unnamed, run);
        billing.acquire("key").close();

        assertThat(orders.tryAcquire(run)).isEmpty();

        assertThat(lines()).isEmpty();
    }
}
