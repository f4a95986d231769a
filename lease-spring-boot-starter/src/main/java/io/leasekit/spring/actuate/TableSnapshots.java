package io.leasekit.spring.actuate;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseQuery;
import io.leasekit.spring.actuate.TableSnapshot.Seen;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Keeps the last scan of each manager's table, and returns the leases that match a search in pages. Thread-safe. */
final class TableSnapshots {

    private static final int MAX_OWNERS = 100;

    private final Clock clock;
    private final Duration maxAge;
    private final ConcurrentMap<String, TableSnapshot> snapshots = new ConcurrentHashMap<>();

    TableSnapshots(Clock clock, Duration maxAge) {
        this.clock = clock;
        this.maxAge = maxAge;
    }

    Map<String, Object> page(
            String name,
            LeaseManager manager,
            String prefix,
            LeaseViews views,
            @Nullable String search,
            @Nullable Integer offset,
            @Nullable Integer limit) {
        int begin = offset == null ? 0 : offset;
        int size = limit == null ? LeaseQuery.MAX_LIMIT : limit;
        if (begin < 0 || size < 1 || size > LeaseQuery.MAX_LIMIT) {
            throw new IllegalArgumentException("Parameter 'offset' is " + begin
                    + ", expected at least 0; parameter 'limit' is " + size + ", expected between 1 and "
                    + LeaseQuery.MAX_LIMIT);
        }
        Seen seen = snapshots
                .computeIfAbsent(name, added -> new TableSnapshot(clock, maxAge))
                .of(manager, prefix);
        String text = search == null ? "" : search.toLowerCase(Locale.ROOT);
        List<LeaseInfo> matching = seen.leases().stream()
                .filter(lease -> matches(lease, text, views.showsKeys()))
                .toList();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("now", clock.instant().toString());
        view.put("readAt", seen.at().toString());
        view.put("maxAge", maxAge.toString());
        view.put("complete", seen.complete());
        view.put("total", seen.leases().size());
        view.put("owners", owners(seen.leases()));
        view.put("matching", matching.size());
        view.put("offset", begin);
        view.put(
                "leases",
                matching.stream().skip(begin).limit(size).map(views::info).toList());
        return view;
    }

    // Hidden keys are not searched, because the number of matches would reveal the keys.
    private static boolean matches(LeaseInfo lease, String search, boolean showsKeys) {
        String owner = lease.owner();
        return search.isEmpty()
                || (showsKeys && lease.key().toLowerCase(Locale.ROOT).contains(search))
                || (owner != null && owner.toLowerCase(Locale.ROOT).contains(search));
    }

    private static List<Map<String, Object>> owners(List<LeaseInfo> leases) {
        Map<String, Integer> counts = new TreeMap<>();
        for (LeaseInfo lease : leases) {
            if (lease.owner() != null) {
                counts.merge(lease.owner(), 1, Integer::sum);
            }
        }
        return counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MAX_OWNERS)
                .map(owner -> Map.<String, Object>of("owner", owner.getKey(), "leases", owner.getValue()))
                .toList();
    }
}
