package io.leasekit.spring.actuate;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseProgress;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseRun;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a table that were held at the last table scan. The number of table scans does not depend on the number
 * of viewers. Thread-safe.
 */
final class TableSnapshot {

    static final int MAX_LEASES = 10_000;
    private static final long MAX_CHARS = 8_000_000;

    private final Clock clock;
    private final Duration maxAge;
    private final ReentrantLock scanning = new ReentrantLock();
    private volatile @Nullable Seen last;

    /**
     * The held leases that a table scan has found, sorted by key.
     *
     * @param at the time at which the scan began
     */
    record Seen(Instant at, List<LeaseInfo> leases, boolean complete) {}

    TableSnapshot(Clock clock, Duration maxAge) {
        this.clock = clock;
        this.maxAge = maxAge;
    }

    /** Returns the last scan, even if the scan is old, while another caller scans the table. */
    Seen of(LeaseManager manager, String prefix) {
        Seen seen = last;
        if (seen != null && (isRecent(seen) || scanning.isLocked())) {
            return seen;
        }
        scanning.lock();
        try {
            Seen current = last;
            return current != null && isRecent(current) ? current : scan(manager, prefix);
        } finally {
            scanning.unlock();
        }
    }

    /** A scan with a time in the future is not recent: the clock was set back, so the scan's age is unknown. */
    private boolean isRecent(Seen seen) {
        Instant now = clock.instant();
        return !seen.at().isAfter(now) && seen.at().plus(maxAge).isAfter(now);
    }

    private Seen scan(LeaseManager manager, String prefix) {
        Instant begin = clock.instant();
        List<LeaseInfo> leases = new ArrayList<>();
        LeaseQuery query = LeaseQuery.startingWith(prefix);
        String next = null;
        long chars = 0;
        do {
            LeasePage page = manager.list(query.after(next));
            leases.addAll(page.leases());
            chars += page.leases().stream().mapToLong(TableSnapshot::chars).sum();
            next = page.next();
            // Only a lease beyond MAX_LEASES shows that the list is incomplete, so the loop reads on at MAX_LEASES.
        } while (next != null && leases.size() <= MAX_LEASES && chars <= MAX_CHARS);
        List<LeaseInfo> shown = leases.stream()
                .limit(MAX_LEASES)
                .sorted(Comparator.comparing(LeaseInfo::key))
                .toList();
        Seen seen = new Seen(begin, shown, next == null && leases.size() <= MAX_LEASES);
        last = seen;
        return seen;
    }

    private static int chars(LeaseInfo lease) {
        LeaseRun run = lease.lastRun();
        LeaseProgress progress = lease.progress();
        return length(lease.key())
                + length(lease.owner())
                + length(lease.application())
                + (run == null ? 0 : length(run.name()) + length(run.owner()))
                + (progress == null ? 0 : length(progress.run()) + length(progress.text()));
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
