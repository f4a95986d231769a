package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeasePause;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableSnapshotTest {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final MovedClock clock = new MovedClock();

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

    @Test
    void aScanEndsWhenItsTextsAreTooLong() {
        LeaseManager manager = mock();
        String owner = "x".repeat(1_024);
        List<LeaseInfo> hundred = IntStream.range(0, 100)
                .mapToObj(i -> held("key-" + i, owner, 1))
                .toList();
        when(manager.list(any())).thenReturn(new LeasePage(hundred, "next"));

        TableSnapshot.Seen seen = new TableSnapshot(clock, Duration.ofSeconds(30)).of(manager, "");

        assertThat(seen.leases()).hasSizeBetween(7_000, 8_000);
        assertThat(seen.complete()).isFalse();
    }

    @Test
    void noViewShowsASecret() {
        String secret = "failed, x-amz-security-token: abc";
        LeaseViews views = new LeaseViews(true);

        assertThat(List.of(
                        views.pause(new LeasePause("key", START, secret, secret)),
                        views.info(held("key", secret, 1)),
                        views.election(
                                "method", null, new FakeElection(false, null), new LeaseReads.Read(null, secret))))
                .allSatisfy(view -> assertThat(view.toString())
                        .contains("x-amz-security-token: …")
                        .doesNotContain("abc"));
    }

    private static LeaseInfo held(String key, String owner, long token) {
        return new LeaseInfo(key, true, owner, token, START, START.plusSeconds(60), null);
    }

    /** A wall clock that stands until a test moves it. */
    private static final class MovedClock extends Clock {

        private Instant now = START;

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
