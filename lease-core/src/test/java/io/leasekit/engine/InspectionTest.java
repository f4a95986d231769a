package io.leasekit.engine;

import static io.leasekit.engine.ScriptedStore.LOST;
import static io.leasekit.engine.ScriptedStore.Verb.LIST;
import static io.leasekit.engine.ScriptedStore.Verb.RENEW;
import static io.leasekit.engine.ScriptedStore.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.Lease;
import io.leasekit.LeaseEvent;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStatus;
import io.leasekit.LeaseStoreException;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.kernel.AcquireCall;
import io.leasekit.kernel.LeaseSpec;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Information about leases without acquiring one: list, find, held, and the holder of an unavailable lease. */
class InspectionTest {

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here");

    private void put(String key, boolean held) {
        String version = held ? Tenure.version(Tenure.NOBODY, 1) : null;
        bench.table.put(new LeaseItem(key, version, 9_000_000_000L, 10_000L, 5L, "other", 1L, null));
    }

    private List<LeasePage> pages(LeaseQuery query) {
        List<LeasePage> pages = new ArrayList<>();
        LeasePage page = here.leases.list(query);
        pages.add(page);
        while (page.next() != null) {
            page = here.leases.list(query.after(page.next()));
            pages.add(page);
        }
        return pages;
    }

    private static List<String> keys(List<LeasePage> pages) {
        return pages.stream()
                .flatMap(page -> page.leases().stream())
                .map(LeaseInfo::key)
                .toList();
    }

    @Test
    void aReleaseIsNeverShownBeforeItsAcquire() {
        bench.table.put(new LeaseItem("key", null, 9_000_000_000L, 10_000L, 5L, "other", 5_000L, 4_000L));

        assertThat(here.leases.find("key").orElseThrow().releasedAt()).isEqualTo(Instant.ofEpochMilli(5_000));
    }

    @Test
    void theHolderOfAnItemWithTextForPausesIsShown() {
        LeaseItem held = new LeaseItem("key", "crate", 9_000_000_000L, 10_000L, 5L, "other", 1L, null)
                .with(Edits.builder().set(RecordTable.PAUSES, "").build().sets());
        bench.table.put(held);

        assertThat(here.leases.find("key").map(LeaseInfo::owner)).contains("other");
    }

    // ---- list

    @Test
    void aListShowsOfEachLeaseWhatAFindShows() {
        bench.start("other").acquire("key");

        assertThat(here.leases.list().leases())
                .containsExactly(here.leases.find("key").orElseThrow());
        assertThat(here.leases.list().next()).isNull();
    }

    @Test
    void anEmptyTableIsOneEmptyPage() {
        assertThat(here.leases.list()).isEqualTo(new LeasePage(List.of(), null));
    }

    @Test
    void pagesShowEachLeaseOnce() {
        IntStream.range(0, 250).forEach(i -> put("key-" + i, true));

        List<LeasePage> pages = pages(LeaseQuery.all());

        assertThat(pages.subList(0, 2))
                .allSatisfy(page -> assertThat(page.leases()).hasSize(100));
        assertThat(keys(pages)).hasSize(250).doesNotHaveDuplicates();
    }

    @Test
    void aPageIsFilledFromSeveralLooksAndCutWhereItIsFull() {
        IntStream.range(0, 40).forEach(i -> put(String.format("%02d", i), i % 3 == 2));

        LeasePage page = here.leases.list(LeaseQuery.all().limit(3));

        assertThat(here.store.verbs()).containsExactly(LIST, LIST); // pages of 3 and 12 items
        assertThat(page.leases()).extracting(LeaseInfo::key).containsExactly("02", "05", "08");
        assertThat(page.next()).isEqualTo("08");
        assertThat(keys(pages(LeaseQuery.all().limit(3)))).hasSize(13).doesNotHaveDuplicates();
    }

    @Test
    void aCallEndsAfterTenLooksAndTellsWhereToGoOn() {
        IntStream.range(0, 9_000).forEach(i -> put(String.format("a-%04d", i), true));
        put("b", true);

        LeasePage first = here.leases.list(LeaseQuery.startingWith("b"));

        assertThat(first.leases()).isEmpty();
        assertThat(first.next()).isNotNull();
        assertThat(here.store.verbs()).hasSize(10).containsOnly(LIST);
        assertThat(keys(pages(LeaseQuery.startingWith("b")))).containsExactly("b");
    }

    @Test
    void aListThatFailsIsAStoreFailure() {
        here.store.next(LIST, refused("Throttled"));

        assertThatThrownBy(() -> here.leases.list())
                .isInstanceOf(LeaseStoreException.class)
                .hasMessage("List of leases in table 'scripted': Throttled")
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aListWithoutAReplyEndsWithItsTime() {
        here.store.next(LIST, LOST);
        Optional<LeaseException>[] thrown = new Optional[1];

        Inspection inspection = (Inspection)
                assertThat(here.leases).extracting("open.inspection").actual();
        inspection
                .list(LeaseQuery.all())
                .whenComplete((page, error) -> thrown[0] = Optional.of((LeaseException) error));
        bench.advance(Duration.ofSeconds(2));

        assertThat(thrown[0].orElseThrow()).hasMessageContaining("No reply of table 'scripted' within 2 s");
    }

    @Test
    void queriesAreCheckedAndPrinted() {
        assertThatThrownBy(() -> LeaseQuery.all().limit(0)).hasMessage("limit is 0, expected between 1 and 100");
        assertThatThrownBy(() -> LeaseQuery.all().limit(101)).hasMessage("limit is 101, expected between 1 and 100");
        assertThatThrownBy(() -> LeaseQuery.all().after(" ")).isInstanceOf(IllegalArgumentException.class);
        assertThat(LeaseQuery.startingWith("a\n").limit(5).after("b"))
                .hasToString("LeaseQuery[prefix='a\\u000a', limit=5, after='b']");
        assertThat(LeaseQuery.all().after(null)).hasToString("LeaseQuery[prefix='', limit=100, after=null]");
    }

    // ---- held

    @Test
    void heldIsWhatThisManagerHoldsAndCostsNoRequest() {
        Lease second = here.acquire("second");
        Lease first = here.acquire("first");
        here.acquire("released").close();
        bench.start("other").acquire("others");
        here.store.verbs();

        assertThat(here.leases.held())
                .containsExactly(
                        new LeaseStatus(
                                "first",
                                "here",
                                first.fencingToken(),
                                first.acquiredAt(),
                                true,
                                first.remaining(),
                                Duration.ZERO,
                                0,
                                0),
                        new LeaseStatus(
                                "second",
                                "here",
                                second.fencingToken(),
                                second.acquiredAt(),
                                true,
                                second.remaining(),
                                Duration.ZERO,
                                0,
                                0));
        assertThat(here.store.verbs()).isEmpty();
    }

    @Test
    void heldTellsOfALeaseThatIsNotConfirmed() {
        here.acquire("key");
        here.store.always(LOST);
        bench.advance(Duration.ofSeconds(1));
        here.machine.jumpWallClock(Duration.ofHours(1));
        here.leases.held(); // reads the clock and notices the jump

        assertThat(here.leases.held()).singleElement().satisfies(status -> {
            assertThat(status.valid()).isFalse();
            assertThat(status.remaining()).isZero();
            assertThat(status.heldFor()).isEqualTo(Duration.ofSeconds(1));
        });
    }

    @Test
    void aLostLeaseIsHeldNoMore() {
        here.acquire("key");
        bench.table.remove("key");
        bench.advance(Bench.TTL);

        assertThat(here.leases.held()).isEmpty();
    }

    // ---- latest end of a lease

    private Instant until(Bench.Node node, String key) {
        return node.leases.find(key).orElseThrow().expiresAt();
    }

    @Test
    void aHeldLeaseIsHeldUntilItsStoredEnd() {
        bench.start("other").acquire("key");

        assertThat(until(here, "key"))
                .isEqualTo(Instant.ofEpochSecond(bench.item("key").expiry()));
    }

    @Test
    void aLeaseWhoseStoredEndIsFarOffEndsOnceItWasSeenForItsTtl() {
        bench.table.put(
                new LeaseItem("key", Tenure.version(Tenure.NOBODY, 1), 9_000_000_000L, 10_000L, 5L, "other", 1L, null));
        here.sample(2);
        here.leases.find("key");
        bench.advance(Duration.ofSeconds(4));

        Instant until = until(here, "key");

        assertThat(until)
                .isBetween(bench.time.now().plusSeconds(6), bench.time.now().plusSeconds(9));
        bench.advance(Duration.between(bench.time.now(), until));
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aLeaseWithoutAUsableEndEndsWithItsObservation() {
        bench.table.put(new LeaseItem("key", "crate", null, null, null, null, null, null));
        here.sample(2);

        Instant until = until(here, "key");

        assertThat(until)
                .isBetween(bench.time.now().plusSeconds(300), bench.time.now().plusSeconds(304));
        bench.advance(Duration.between(bench.time.now(), until));
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aRenewalMovesTheEnd() {
        Bench.Node other = bench.start("other");
        other.acquire("key");
        Instant before = until(here, "key");
        bench.advance(Duration.ofSeconds(5));

        assertThat(other.store.sent(RENEW)).isNotEmpty();
        assertThat(until(here, "key")).isAfter(before);
    }

    @Test
    void whatIsReleasedHasNoEnd() {
        bench.start("other").acquire("key").close();

        assertThat(until(here, "key")).isNull();
    }

    // ---- holder of an unavailable lease

    private String unavailable(@Nullable LeaseInfo holder) {
        AcquireCall.Result result = new AcquireCall.Unavailable(holder);
        List<String> keys = List.of("key");
        try {
            result.orThrow(new LeaseSpec(keys, keys, null, 0, 0, 0, 0, 0, 0, 0, false, null, null, false));
            throw new AssertionError("no exception");
        } catch (LeaseUnavailableException e) {
            assertThat(e.holder()).isEqualTo(Optional.ofNullable(holder));
            return e.getMessage();
        }
    }

    @Test
    void whatIsNotKnownOfAHolderIsLeftOut() {
        Instant at = Instant.ofEpochSecond(1_800_000_000);

        assertThat(unavailable(null)).isEqualTo("Lease 'key' is held by another owner, waited 0 s");
        assertThat(unavailable(new LeaseInfo("key", false, "last", 5, at, null, at)))
                .as("free, but another caller always came first")
                .isEqualTo("Lease 'key' is held by another owner, waited 0 s");
        assertThat(unavailable(new LeaseInfo("key", true, null, 0, null, null, null)))
                .isEqualTo("Lease 'key' is held by another owner, waited 0 s");
        assertThat(unavailable(new LeaseInfo("key", true, null, 0, null, at, null)))
                .isEqualTo("Lease 'key' is held by another owner (until 2027-01-15T08:00:00Z if it is not renewed),"
                        + " waited 0 s");
        assertThat(unavailable(new LeaseInfo("key", true, "node-1", 5, at, at, null)))
                .isEqualTo("Lease 'key' is held by owner 'node-1' (token 5, acquired at 2027-01-15T08:00:00Z,"
                        + " until 2027-01-15T08:00:00Z if it is not renewed), waited 0 s");
    }

    @Test
    void anExceptionAndAnEventCarryTheSameHolder() {
        bench.start("other").acquire("key");

        assertThatThrownBy(() -> here.leases.acquire(LeaseRequest.of("key")))
                .isInstanceOfSatisfying(
                        LeaseUnavailableException.class,
                        e -> assertThat(here.events)
                                .containsExactly(new LeaseEvent.Unavailable(
                                        "key", e.holder().orElseThrow())));
    }
}
