package io.leasekit.engine;

import static io.leasekit.LeaseRunOutcome.SUCCEEDED;
import static io.leasekit.engine.ScriptedStore.REPLY_LOST;
import static io.leasekit.engine.ScriptedStore.Verb.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseRequest;
import io.leasekit.OnceOrder;
import io.leasekit.ReleaseMode;
import io.leasekit.records.ItemRun;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A lease of several keys forgets no run that its items record (protocol 7). */
class GroupRunTest {

    private static final LeaseRequest MONDAY = LeaseRequest.of("b").once("monday", OnceOrder.GROWING);
    private static final LeaseRequest ALL = LeaseRequest.ofAll("a", "b", "c");

    private final Bench bench = new Bench();

    private Bench.Node start(ReleaseMode mode) {
        return bench.start("here", builder -> builder.releaseMode(mode));
    }

    private static void run(Bench.Node node, LeaseRequest request) {
        Lease lease = node.acquire(request);
        lease.recordRun(SUCCEEDED);
        lease.close();
    }

    private void releaseAll(Bench.Node node) {
        Lease all = node.acquire(ALL);
        bench.advance(Duration.ofSeconds(8)); // until the clock has passed the token
        node.store.verbs();
        all.close();
        bench.advance(Duration.ofSeconds(5));
    }

    private long daysLeft(String key) {
        return (bench.item(key).expiry() - bench.time.now().getEpochSecond() + 60) / 86_400;
    }

    @ParameterizedTest
    @EnumSource(ReleaseMode.class)
    void theRunOfAKeyOutlivesALeaseOfSeveral(ReleaseMode mode) {
        Bench.Node here = start(mode);
        run(here, MONDAY);

        releaseAll(here);

        assertThat(ItemRun.of(bench.item("b").records()).name()).isEqualTo("monday");
        assertThat(daysLeft("b")).isEqualTo(400);
        assertThat(here.tryAcquire(MONDAY)).isEmpty();
        assertThat(bench.isHeld("a") || bench.isHeld("b") || bench.isHeld("c")).isFalse();
        assertThat(here.store.sent(RELEASE)).hasSize(2);
    }

    @Test
    void keysWithoutARunAreDeletedOrKeptForTheRetentionByOneRequest() {
        Bench.Node retaining = start(ReleaseMode.RETAIN);
        releaseAll(retaining);
        assertThat(daysLeft("a")).isEqualTo(7);
        assertThat(retaining.store.sent(RELEASE)).hasSize(1);

        Bench.Node deleting = start(ReleaseMode.DELETE);
        releaseAll(deleting);
        assertThat(bench.table.items()).isEmpty();
        assertThat(deleting.store.sent(RELEASE)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(ReleaseMode.class)
    void keysReleasedIndividuallyKeepTheirRunsToo(ReleaseMode mode) {
        Bench.Node here = start(mode);
        run(here, MONDAY);
        Lease all = here.acquire(ALL);
        bench.advance(Duration.ofSeconds(8));
        LeaseItem a = bench.item("a");
        String theirs = Tenure.version(new UUID(7, 7), 1);
        bench.table.put(new LeaseItem("a", theirs, a.expiry(), 10_000L, a.token(), "else", 1L, null));

        all.close();

        assertThat(daysLeft("b")).isEqualTo(400);
        assertThat(bench.isHeld("b")).isFalse();
        assertThat(bench.isHeld("a")).isTrue();
        assertThat(here.tryAcquire(MONDAY)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ReleaseMode.class)
    void aReleaseWhoseReplyIsLostKeepsTheRun(ReleaseMode mode) {
        Bench.Node here = start(mode);
        run(here, MONDAY);
        Lease all = here.acquire(ALL);
        bench.advance(Duration.ofSeconds(8));
        here.store.next(RELEASE, REPLY_LOST, REPLY_LOST, REPLY_LOST);

        all.releaseAsync();
        bench.advance(Duration.ofSeconds(20));

        assertThat(daysLeft("b")).isEqualTo(400);
        assertThat(bench.isHeld("b")).isFalse();
    }

    @ParameterizedTest
    @EnumSource(ReleaseMode.class)
    void aRunOfItsOwnDoesNotForgetThatOfAnotherKey(ReleaseMode mode) {
        Bench.Node here = start(mode);
        run(here, MONDAY);

        run(here, ALL.once("week 47", OnceOrder.GROWING)); // the first key records it

        assertThat(daysLeft("a")).isEqualTo(400);
        assertThat(daysLeft("b")).isEqualTo(400);
        assertThat(here.tryAcquire(MONDAY)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ReleaseMode.class)
    void aRunInAnyOrderDoesNotForgetTheGrowingOneOfItsKey(ReleaseMode mode) {
        Bench.Node here = start(mode);
        run(here, MONDAY);

        run(here, LeaseRequest.of("b").once("other"));

        assertThat(ItemRun.of(bench.item("b").records()).name()).isEqualTo("monday");
        assertThat(daysLeft("b")).isEqualTo(400);
        assertThat(here.tryAcquire(MONDAY)).isEmpty();
    }
}
