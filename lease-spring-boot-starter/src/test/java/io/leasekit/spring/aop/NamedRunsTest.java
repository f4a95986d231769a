package io.leasekit.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseAlreadyRanException;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.records.ItemRun;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.OnFailure;
import io.leasekit.spring.OnUnavailable;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Methods with an annotation that names the run of a call, on two nodes whose beans are both under the advice. */
class NamedRunsTest {

    private static final LocalDate FRIDAY = LocalDate.of(2026, 11, 20);

    private final InMemoryLeaseStore store = new InMemoryLeaseStore();
    private final LeasedBeans one = new LeasedBeans(store);
    private final LeasedBeans two = new LeasedBeans(store);
    private final Books books = new Books();
    private final Books here = one.advise(books);
    private final Books elsewhere = two.advise(books);

    @AfterEach
    void closeTheManagers() {
        one.close();
        two.close();
    }

    @Test
    void aRunThatSucceededIsNotRunAgainAnywhere() {
        here.close(FRIDAY);

        assertThatExceptionOfType(LeaseAlreadyRanException.class)
                .isThrownBy(() -> elsewhere.close(FRIDAY))
                .withMessageStartingWith("Run '2026-11-20' of lease 'books' is already done: ");
        assertThatThrownBy(() -> here.close(FRIDAY.minusDays(1))).isInstanceOf(LeaseAlreadyRanException.class);
        elsewhere.close(FRIDAY.plusDays(1));

        assertThat(books.closed).containsExactly(FRIDAY, FRIDAY.plusDays(1));
    }

    @Test
    void namesMayComeInAnyOrder() {
        here.inAnyOrder(FRIDAY);
        elsewhere.inAnyOrder(FRIDAY.minusDays(1));

        assertThatThrownBy(() -> elsewhere.inAnyOrder(FRIDAY)).isInstanceOf(LeaseAlreadyRanException.class);
        assertThatThrownBy(() -> here.inAnyOrder(FRIDAY.minusDays(1))).isInstanceOf(LeaseAlreadyRanException.class);
        assertThat(books.closed).containsExactly(FRIDAY, FRIDAY.minusDays(1));
        assertThat(store.items()).containsOnlyKeys("import", "import#run=2026-11-20", "import#run=2026-11-19");
    }

    @Test
    void aCallIsSkippedWhereAskedFor() {
        assertThat(here.skipped(FRIDAY)).isEqualTo("closed");

        assertThat(elsewhere.skipped(FRIDAY)).isNull();
    }

    @Test
    void aRunThatFailedIsRunAgain() {
        books.failure = new IllegalStateException("own");
        assertThatThrownBy(() -> here.close(FRIDAY)).isSameAs(books.failure);
        books.failure = null;

        elsewhere.close(FRIDAY);

        assertThat(books.closed).containsExactly(FRIDAY, FRIDAY);
    }

    @Test
    void aRunThatFailedIsDoneWhereAskedFor() {
        books.failure = new IllegalStateException("own");
        assertThatThrownBy(() -> here.closeOnce(FRIDAY)).isSameAs(books.failure);
        books.failure = null;

        assertThatThrownBy(() -> elsewhere.closeOnce(FRIDAY)).isInstanceOf(LeaseAlreadyRanException.class);
        assertThat(ItemRun.of(store.item("books").orElseThrow().records()).outcome())
                .isEqualTo(LeaseRunOutcome.FAILED.name());
    }

    @Test
    void aRunLastsUntilItsStageEnds() {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = here.async(FRIDAY, work);
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> store.item("books").isPresent());
        assertThat(ItemRun.of(store.item("books").orElseThrow().records())).isNull();

        work.complete("closed");

        assertThat(result).succeedsWithin(Duration.ofMinutes(10)).isEqualTo("closed");
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .until(() -> ItemRun.of(store.item("books").orElseThrow().records()) != null);
        assertThat(elsewhere.async(FRIDAY, work))
                .failsWithin(Duration.ofMinutes(10))
                .withThrowableThat()
                .withCauseInstanceOf(LeaseAlreadyRanException.class);
    }

    @Test
    void aNestedCallIsPartOfTheOutermostRun() {
        books.nested = here;

        here.close(FRIDAY);

        assertThat(books.closed).containsExactly(FRIDAY, FRIDAY);
        assertThat(ItemRun.of(store.item("books").orElseThrow().records()).name())
                .isEqualTo("2026-11-20");
    }

    @Test
    void aNestedCallOfAnotherRunIsRefused() {
        here.within(FRIDAY, () -> {
            assertThatThrownBy(() -> here.close(FRIDAY.plusDays(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("Method '" + Books.class.getName()
                            + ".close' was called for run '2026-11-21' within a call that holds 'books' for run"
                            + " '2026-11-20', so run '2026-11-21' would be neither checked nor recorded");
            assertThat(here.async(FRIDAY.plusDays(1), new CompletableFuture<>()))
                    .failsWithin(Duration.ofMinutes(10))
                    .withThrowableThat()
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContaining("holds 'books' for run '2026-11-20'");
        });

        assertThat(books.closed).isEmpty();
        elsewhere.close(FRIDAY.plusDays(1)); // the refused calls have left the lease
    }

    @Test
    void aNestedCallOfARunIsRefusedUnderALeaseWithoutARun() {
        here.withoutRun(() -> assertThatThrownBy(() -> here.close(FRIDAY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(
                        "was called for run '2026-11-20' within a call that holds 'books' without a run"));

        assertThat(books.closed).isEmpty();
        elsewhere.close(FRIDAY);
    }

    @Test
    void aNestedCallWithoutARunJoins() {
        here.within(FRIDAY, () -> here.withoutRun(() -> books.closed.add(FRIDAY)));

        assertThat(books.closed).containsExactly(FRIDAY);
    }

    @Test
    void aRunWithoutANameIsAnError() {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> here.text(" "))
                .withMessage("The run name of '" + Books.class.getName()
                        + ".text' is invalid: once is ' ' (1 bytes of UTF-8) for lease key 'books', expected a text with"
                        + " a visible character and at most 1024 bytes");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> here.text(null))
                .withMessageStartingWith("The part '#{#run}' of the run of '");
    }

    static class Books {

        final List<LocalDate> closed = new ArrayList<>();
        RuntimeException failure;
        Books nested;

        @DistributedLease(key = "books", once = "#{#date}", onceOrder = OnceOrder.GROWING)
        public void close(LocalDate date) {
            closed.add(date);
            if (failure != null) {
                throw failure;
            }
            if (nested != null) {
                Books other = nested;
                nested = null;
                other.close(date);
            }
        }

        @DistributedLease(key = "books", once = "#{#date}", onceOrder = OnceOrder.GROWING)
        public void within(LocalDate date, Runnable body) {
            body.run();
        }

        @DistributedLease("books")
        public void withoutRun(Runnable body) {
            body.run();
        }

        @DistributedLease(key = "import", once = "#{#date}")
        public void inAnyOrder(LocalDate date) {
            closed.add(date);
        }

        @DistributedLease(
                key = "books",
                once = "#{#date}",
                onceOrder = OnceOrder.GROWING,
                onUnavailable = OnUnavailable.SKIP)
        public String skipped(LocalDate date) {
            return "closed";
        }

        @DistributedLease(key = "books", once = "#{#date}", onceOrder = OnceOrder.GROWING, onFailure = OnFailure.DONE)
        public void closeOnce(LocalDate date) {
            close(date);
        }

        @DistributedLease(key = "books", once = "#{#date}", onceOrder = OnceOrder.GROWING)
        public CompletableFuture<String> async(LocalDate date, CompletableFuture<String> work) {
            return work;
        }

        @DistributedLease(key = "books", once = "#{#run}", onceOrder = OnceOrder.GROWING)
        public void text(String run) {}
    }
}
