package io.leasekit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeasePause;
import io.leasekit.LeasePauses;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseStoreException;
import io.leasekit.records.ItemProgress;
import io.leasekit.records.ItemRun;
import io.leasekit.records.RecordTable;
import io.leasekit.store.Bytes;
import io.leasekit.store.Edits;
import io.leasekit.store.LeaseItem;
import io.leasekit.store.Records;
import io.leasekit.store.StoreReply;
import io.leasekit.store.StoreRequest;
import io.leasekit.tenure.Tenure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another writer of the table may block a key, but neither fill this process nor make two holders nor keep a pause. */
class HostileTableTest {

    private static final String LONG = "z".repeat(390_000);

    @RegisterExtension
    final LogLines log = new LogLines("io.leasekit.pause");

    private final Bench bench = new Bench();
    private final Bench.Node here = bench.start("here", builder -> builder.pauses(true));

    private static LeaseItem item(String version, long expiry, @Nullable String history) {
        return new LeaseItem("key", version, expiry, 10_000L, 1L, "x".repeat(2_000), 1L, null)
                .with(Edits.builder().set(RecordTable.HISTORY, history).build().sets());
    }

    // ---- items

    /** Answers as DynamoDB's store does: an item whose version is too long cannot be read, but conditions see it. */
    private void unreadable(ScriptedStore.Request request) {
        List<StoreReply> replies = request.applyEach();
        String version = bench.table.item("key").map(LeaseItem::version).orElse("");
        if (version.equals(LONG)) {
            request.fail(StoreReply.FailureKind.REJECTED, "Item is not a lease");
        } else {
            request.answerEach(replies);
        }
    }

    @Test
    void aKeyWithALongVersionIsBlockedUntilItsExpiry() {
        long expiry = bench.time.now().plusSeconds(60).getEpochSecond();
        bench.table.put(item(LONG, expiry, null));
        here.store.always("key", this::unreadable);

        for (int i = 0; i < 3; i++) {
            assertThatExceptionOfType(LeaseStoreException.class).isThrownBy(() -> here.leases.tryAcquire("key"));
            bench.advance(Duration.ofSeconds(10));
        }
        bench.advance(Duration.ofMinutes(1));

        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aHolderWhoseVersionIsReplacedByALongOneIsNeverOneOfTwo() {
        var lease = here.acquire("key");
        LeaseItem held = bench.item("key");
        bench.table.put(item(LONG, held.expiry() == null ? 0 : held.expiry(), null));
        Bench.Node other = bench.start("other");
        here.store.always("key", this::unreadable);
        other.store.always("key", this::unreadable);

        for (int i = 0; i < 40; i++) {
            boolean isHeld = lease.isValid();
            boolean isGranted;
            try {
                isGranted = other.leases.tryAcquire("key").isPresent();
            } catch (LeaseStoreException blocked) {
                isGranted = false;
            }
            assertThat(isHeld && isGranted).isFalse();
            bench.advance(Duration.ofSeconds(1));
        }
    }

    @Test
    void ofALongHistoryTheLastFiftyRunsAreShown() {
        String runs =
                IntStream.range(0, 2_000).mapToObj(i -> i + "\t\t\t\t\t\t").collect(Collectors.joining("\n"));
        bench.table.put(item(Tenure.version(Tenure.NOBODY, 1), 9_000_000_000L, runs));
        assertThat(here.leases.history("key"))
                .hasSize(50)
                .first()
                .satisfies(run -> assertThat(run.fencingToken()).isEqualTo(1_999));
    }

    /** The numbers that another writer may choose, in each place, and what an operator and a caller do with the key. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE})
    void numbersOfAnySizeBreakNothing(long number) {
        for (int place = 0; place < 10; place++) {
            Long[] n = {9_000_000_000L, 10_000L, 5L, 1L, null, null, null, null, null, null};
            n[place] = number;
            Edits.Builder edits = Edits.builder()
                    .set(RecordTable.PERMITS, n[8])
                    .set(RecordTable.HISTORY, number + "\t\t\t" + number + "\t" + number + "\t\t")
                    .add(new ItemRun(
                                    "run",
                                    "other",
                                    n[6] == null ? null : Instant.ofEpochMilli(n[6]),
                                    "SUCCEEDED",
                                    n[7] == null ? null : Duration.ofMillis(n[7]))
                            .edits())
                    .add(new ItemProgress("run", new byte[] {7}, n[9]).edits());
            bench.table.put(new LeaseItem(
                    "key",
                    Tenure.version(Tenure.NOBODY, 1),
                    n[0],
                    n[1],
                    n[2],
                    "other",
                    n[3],
                    n[4],
                    n[5],
                    new Records(edits.build().sets().values(), n[9])));

            LeaseInfo seen = here.leases.find("key").orElseThrow();
            assertThat(seen.toString()).isNotEmpty();
            assertThat(here.leases.list(LeaseQuery.all()).leases()).hasSize(1);
            assertThat(here.leases.history("key")).hasSizeLessThan(2);
            here.tryAcquire("key").ifPresent(Lease::close);
            bench.advance(Duration.ofSeconds(1));
        }
    }

    // ---- pauses

    private void forge(String lines) {
        LeaseItem now = bench.table.item("#pauses").orElse(null);
        StoreReply reply = bench.table
                .send(
                        new StoreRequest.Write(PauseCommands.replace(
                                now == null ? null : now.records().text(RecordTable.PAUSES), "forged\n" + lines)),
                        Duration.ofSeconds(1))
                .toCompletableFuture()
                .join();
        assertThat(reply).isInstanceOf(StoreReply.Applied.class);
    }

    private String line(String key, Duration left) {
        return bench.time.now().plus(left).toEpochMilli() + " mallory because " + key + "\n";
    }

    @Test
    void aForgedPauseThatEndsTooLateIsIgnoredAndTheNextChangeRemovesIt() {
        LeasePauses pauses = here.leases.pauses();
        forge(line("key", Duration.ofDays(10_000)) + line("other", Duration.ofHours(1)));

        assertThat(here.tryAcquire("key")).isPresent();
        assertThat(here.tryAcquire("other")).isEmpty();
        assertThat(pauses.list()).extracting(LeasePause::keyOrPrefix).containsExactly("other");
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(text -> text.contains("beyond the limits"))
                .hasSize(1);

        assertThat(pauses.resume("key")).isEmpty();
        assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES))
                .contains("other")
                .doesNotContain(" key");
    }

    @Test
    void moreLinesThanAreWrittenAreIgnoredAndAnyPauseCanBeLifted() {
        LeasePauses pauses = here.leases.pauses();
        forge(IntStream.range(0, 2_000)
                .mapToObj(i -> line(i + "", Duration.ofHours(1)))
                .collect(Collectors.joining()));

        assertThat(pauses.list()).hasSize(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pauses.pause("one more", bench.time.now().plusSeconds(60), "why"));
        assertThat(pauses.resume("7")).isPresent();
        pauses.pause("one more", bench.time.now().plusSeconds(60), "why");

        assertThat(pauses.list()).hasSize(100);
    }

    /** Each of these characters takes nine when it is written again. */
    @Test
    void pausesAreMeasuredAsTheyAreWritten() {
        LeasePauses pauses = here.leases.pauses();
        String reason = "\u20ac".repeat(256);
        forge(IntStream.range(0, 100)
                .mapToObj(i -> bench.time.now().plusSeconds(600).toEpochMilli() + " me " + reason + " " + i + "\n")
                .collect(Collectors.joining()));
        int read = pauses.list().size();
        assertThat(read).isBetween(10, 15);

        assertThat(pauses.resume("7")).isPresent();

        assertThat(pauses.list()).hasSize(read - 1);
        assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES)).hasSizeLessThan(32_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "x", " ", "x x x x", "0 a b c", "9999999999999 a b c", "-1 a b c", "1 a b %"})
    void aTextOfAnyFormCanBeReplaced(String line) {
        LeasePauses pauses = here.leases.pauses();
        forge((line + "\n").repeat(390_000 / (line.length() + 1)));
        LeaseItem all = bench.item("#pauses");
        forge(line("*", Duration.ofHours(1))
                + LONG.substring(0, 1_000)
                + all.records().text(RecordTable.PAUSES));

        assertThat(here.tryAcquire("key")).isEmpty();
        assertThat(pauses.resume("*")).isPresent();

        assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES)).hasSizeLessThan(32_000);
        bench.advance(Duration.ofSeconds(6));
        assertThat(here.tryAcquire("key")).isPresent();
    }

    @Test
    void aLongNameOfAChangeIsNotWrittenAgain() {
        bench.table.send(
                new StoreRequest.Write(
                        PauseCommands.replace(null, LONG.replace("zz", "z ") + "\n" + line("*", Duration.ofHours(1)))),
                Duration.ofSeconds(1));
        LeasePauses pauses = here.leases.pauses();

        pauses.resume("*");
        pauses.pause("other", bench.time.now().plusSeconds(60), "why");

        assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES)).hasSizeLessThan(32_000);
    }

    @Test
    void pausesOfAnotherTypeAreIgnoredAndTheNextChangeReplacesThem() {
        LeasePauses pauses = here.leases.pauses();
        for (Object other : List.of(5L, new Bytes(new byte[0]))) {
            for (int change = 0; change < 2; change++) {
                log.list.clear();
                bench.table.put(new LeaseItem("#pauses", null, null, null, null, null, null, null)
                        .with(new Records(Map.of(RecordTable.PAUSES, other), null)));
                bench.advance(Duration.ofSeconds(6));

                here.tryAcquire("key").orElseThrow().close();
                assertThat(pauses.list()).isEmpty();
                bench.advance(Duration.ofSeconds(6));
                here.tryAcquire("key").orElseThrow().close();
                assertThat(log.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .filteredOn(text -> text.contains("changed by another writer"))
                        .hasSize(1);

                if (change == 0) {
                    assertThat(pauses.resume("key")).isEmpty();
                    assertThat(pauses.list()).isEmpty();
                } else {
                    pauses.pause("key", bench.time.now().plusSeconds(60), "why");
                    assertThat(pauses.list()).hasSize(1);
                    assertThat(pauses.resume("key")).isPresent();
                }
                assertThat(bench.item("#pauses").records().text(RecordTable.PAUSES))
                        .isNotNull();
            }
        }
    }

    // ---- malformed texts

    @ParameterizedTest
    @ValueSource(strings = {"file-\ud83d", "file-\ude00", "\ude00\ud83d"})
    void aTextThatTheTableWouldStoreAsAnotherIsRefused(String half) {
        LeaseRequest request = LeaseRequest.of("key");
        assertRefused(() -> LeaseRequest.of(half));
        assertRefused(() -> LeaseRequest.ofAll(List.of("a", half)));
        assertRefused(() -> request.named(half));
        assertRefused(() -> request.once(half));
        assertRefused(() -> request.once(half, io.leasekit.OnceOrder.ANY));
        assertRefused(() -> LeaseQuery.startingWith(half));
        assertRefused(() -> LeaseQuery.all().after(half));
        assertRefused(() -> here.leases.find(half));
        assertRefused(() -> here.leases.forceRelease(half, 1));
        assertRefused(() -> here.leases.pauses().resume(half));
        assertRefused(() -> here.leases.pauses().pause(half, bench.time.now().plusSeconds(9), "why"));
        assertRefused(() -> here.leases.pauses().pause("key", bench.time.now().plusSeconds(9), half));
        assertRefused(() -> here.leases.pauses().pause("key", bench.time.now().plusSeconds(9), "why", half));
        assertRefused(() -> here.leases.history(half));
        assertRefused(() -> here.leases.watch(half, change -> {}));
        assertRefused(() -> here.leases.awaitFree(half, Duration.ofSeconds(1)));
        assertRefused(() -> here.leases.runAgain(half, "run", 1, "me"));
        assertRefused(() -> here.leases.runAgain("key", half, 1, "me"));
        assertRefused(() -> here.leases.runAgain("key", "run", 1, half));
        assertRefused(() -> request.permits(3).named(half));
        assertRefused(() -> bench.start(half));
        assertRefused(() -> bench.start("other", builder -> builder.application(half)));
    }

    private static void assertRefused(Runnable call) {
        assertThatIllegalArgumentException()
                .isThrownBy(call::run)
                .withMessageContaining("half of a surrogate pair, expected well-formed UTF-16")
                .withMessageContaining("\\ud");
    }

    @Test
    void wholePairsAreAccepted() {
        assertThat(here.tryAcquire("file-\ud83d\ude00")).isPresent();
    }
}
