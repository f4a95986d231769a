package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.leasekit.LeaseEvent;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseLossReason;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseMeasurement.CapacityConsumed;
import io.leasekit.LeaseMeasurement.Operation;
import io.leasekit.LeaseMeasurement.RequestEnded;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.leasekit.LeasePage;
import io.leasekit.LeaseRun;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.spring.MovableClock;
import io.leasekit.spring.actuate.LeaseHistory.Entry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LeaseActivityTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final MovableClock clock = new MovableClock(START);
    private final LeaseActivity activity = new LeaseActivity(clock);

    @Test
    void requestsAndCapacityAreAddedUp() {
        activity.measured(new RequestEnded(Operation.RENEW, RequestOutcome.APPLIED, Duration.ZERO));
        activity.measured(new RequestEnded(Operation.RENEW, RequestOutcome.APPLIED, Duration.ZERO));
        activity.measured(new RequestEnded(Operation.RENEW, RequestOutcome.UNKNOWN, Duration.ZERO));
        activity.measured(new CapacityConsumed(Operation.RENEW, 1.5));
        activity.measured(new CapacityConsumed(Operation.RENEW, 1));

        assertThat(activity.requests()).isEqualTo(Map.of("RENEW", Map.of("APPLIED", 2L, "UNKNOWN", 1L)));
        assertThat(activity.capacity()).isEqualTo(Map.of("RENEW", 2.5));
        assertThat(activity.since()).isEqualTo(START);
    }

    @Test
    void aKeysEventsShowATakeOver() {
        activity.onEvent(new LeaseEvent.Acquired("a", "me", 5));
        activity.onEvent(new LeaseEvent.Lost("a", "me", 5, LeaseLossReason.EXPIRED, Duration.ofSeconds(9)));
        activity.onEvent(new LeaseEvent.Unavailable("a", held("a", "other", 6)));
        activity.onEvent(new LeaseEvent.Unavailable("a", held("a", "other", 6)));
        activity.seenIfKnown(List.of(held("a", "other", 6), held("b", "other", 7)));

        assertThat(activity.history("a"))
                .containsExactly(
                        new Entry(START, "ACQUIRED", "me", 5, null),
                        new Entry(START, "LOST", "me", 5, "EXPIRED"),
                        new Entry(START, "SEEN", "other", 6, null));
        assertThat(activity.history("b")).isEmpty();
        assertThat(activity.lossesByReason()).isEqualTo(Map.of("EXPIRED", 1L));
        assertThat(activity.losses()).hasSize(1);
    }

    @Test
    void whoeverHeldALeaseThatIsFreeOrKeptIsNotSeenAsItsHolder() {
        LeaseRun run = new LeaseRun("10:00", "other", START, LeaseRunOutcome.SUCCEEDED, Duration.ofSeconds(2));
        LeaseInfo free = new LeaseInfo("job", false, "other", 6, START, null, START, run, 0);
        LeaseInfo cooling = new LeaseInfo("job", true, "other", 6, START, START.plusSeconds(60), START);
        assertThat(cooling.isKept()).isTrue();
        activity.onEvent(new LeaseEvent.AlreadyRan("job", "10:00", free));
        activity.onEvent(new LeaseEvent.Unavailable("job", cooling));
        activity.seen(free);

        assertThat(activity.history("job")).isEmpty();
        assertThat(activity.lastRun("job")).isEqualTo(run);
    }

    @Test
    void theLastRunIsThatOfTheNewestEvent() {
        activity.onEvent(new LeaseEvent.Ran("job", "me", 5, "10:00", LeaseRunOutcome.SUCCEEDED, Duration.ofSeconds(2)));

        assertThat(activity.lastRun("job")).satisfies(run -> {
            assertThat(run.name()).isEqualTo("10:00");
            assertThat(run.begunAt()).isEqualTo(START.minusSeconds(2));
        });
        assertThat(activity.lastRun("other")).isNull();
    }

    @Test
    void whatIsKeptIsBounded() {
        IntStream.rangeClosed(1, 10_000)
                .forEach(i -> activity.onEvent(
                        new LeaseEvent.Lost("key-" + i, "me", i, LeaseLossReason.REVOKED, Duration.ZERO)));
        IntStream.rangeClosed(1, 100).forEach(i -> activity.onEvent(new LeaseEvent.Acquired("one", "me", i)));

        assertThat(activity.losses()).hasSize(LeaseActivity.LOSSES);
        assertThat(activity.lossesByReason()).isEqualTo(Map.of("REVOKED", 10_000L));
        assertThat(activity.history("one"))
                .hasSize(LeaseHistory.ENTRIES)
                .last()
                .extracting(Entry::fencingToken)
                .isEqualTo(100L);
        assertThat(activity.history("key-1")).isEmpty();
        assertThat(activity.history("key-10000")).hasSize(1);
    }

    @Test
    void aTableIsScannedAgainOnlyAfterItsMaximumAge() {
        LeaseManager manager = mock();
        when(manager.list(any()))
                .thenReturn(
                        new LeasePage(List.of(held("b", "x", 1)), "b"),
                        new LeasePage(List.of(held("a", "x", 2)), null));
        TableSnapshot snapshot = new TableSnapshot(clock, Duration.ofSeconds(30));

        TableSnapshot.Seen first = snapshot.of(manager, "");
        assertThat(first.leases()).extracting(LeaseInfo::key).containsExactly("a", "b");
        assertThat(first.complete()).isTrue();

        clock.now = START.plusSeconds(30).minusNanos(1);
        assertThat(snapshot.of(manager, "")).isSameAs(first);
        verify(manager, times(2)).list(any());

        clock.now = START.plusSeconds(30);
        assertThat(snapshot.of(manager, "").at()).isEqualTo(clock.now);
        verify(manager, times(3)).list(any());
    }

    @Test
    void aTableIsScannedAgainAfterTheClockHasStepped() {
        LeaseManager manager = mock();
        when(manager.list(any())).thenReturn(new LeasePage(List.of(), null));
        TableSnapshot snapshot = new TableSnapshot(clock, Duration.ofSeconds(30));
        snapshot.of(manager, "");

        clock.now = START.minus(Duration.ofHours(1));

        assertThat(snapshot.of(manager, "").at()).isEqualTo(clock.now);
    }

    @Test
    void asManyLeasesAsTheMaximumAreAllThere() {
        LeaseManager manager = mock();
        List<LeaseInfo> most = IntStream.range(0, TableSnapshot.MAX_LEASES)
                .mapToObj(i -> held("key-" + i, "x", 1))
                .toList();
        when(manager.list(any())).thenReturn(new LeasePage(most, "next"), new LeasePage(List.of(), null));

        TableSnapshot.Seen seen = new TableSnapshot(clock, Duration.ofSeconds(30)).of(manager, "");

        assertThat(seen.leases()).hasSize(TableSnapshot.MAX_LEASES);
        assertThat(seen.complete())
                .as("a full page does not say that there are more")
                .isTrue();
    }

    @Test
    void aScanEndsAtItsMaximumAndSaysSo() {
        LeaseManager manager = mock();
        List<LeaseInfo> hundred =
                IntStream.range(0, 100).mapToObj(i -> held("key-" + i, "x", 1)).toList();
        when(manager.list(any())).thenReturn(new LeasePage(hundred, "next"));

        TableSnapshot.Seen seen = new TableSnapshot(clock, Duration.ofSeconds(30)).of(manager, "");

        assertThat(seen.leases()).hasSize(TableSnapshot.MAX_LEASES);
        assertThat(seen.complete()).isFalse();
    }

    private static LeaseInfo held(String key, String owner, long token) {
        return new LeaseInfo(key, true, owner, token, START, START.plusSeconds(60), null);
    }
}
