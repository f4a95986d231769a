package io.leasekit.spring.actuate;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseQuery;
import io.leasekit.spring.actuate.LeaseHistory.Entry;
import io.leasekit.spring.actuate.TableSnapshot.Seen;
import io.leasekit.spring.policy.LeasedMethod;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The views of the endpoint that show the activity of this node and a scan of the table. Thread-safe. */
final class LeaseActivityViews {

    private static final int MAX_OWNERS = 100;

    private final LeaseActivities activities;
    private final LeaseViews views;
    private final NextRuns nextRuns;

    LeaseActivityViews(LeaseActivities activities, LeaseViews views, NextRuns nextRuns) {
        this.activities = activities;
        this.views = views;
        this.nextRuns = nextRuns;
    }

    Map<String, Object> activity(
            Iterable<String> managers, List<LeasedMethod> methods, Function<LeasedMethod, @Nullable String> managerOf) {
        Map<String, Object> shown = new LinkedHashMap<>();
        for (String name : managers) {
            LeaseActivity activity = activities.of(name);
            if (activity != null) {
                shown.put(name, activity(activity));
            }
        }
        Map<String, Instant> next = nextRuns.byMethod();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("now", activities.clock().instant().toString());
        view.put("managers", shown);
        view.put(
                "jobs",
                methods.stream()
                        .map(method -> job(method, managerOf.apply(method), next.get(method.method())))
                        .toList());
        return view;
    }

    private Map<String, Object> activity(LeaseActivity activity) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("since", activity.since().toString());
        view.put("requests", activity.requests());
        view.put("capacity", activity.capacity());
        view.put("lossesByReason", activity.lossesByReason());
        view.put("losses", activity.losses().stream().map(views::loss).toList());
        return view;
    }

    private Map<String, Object> job(LeasedMethod method, @Nullable String manager, @Nullable Instant next) {
        Map<String, Object> view = views.job(method, manager, LeaseReads.Read.NONE, next);
        LeaseActivity activity = manager == null ? null : activities.of(manager);
        if (activity != null && method.key() != null) {
            LeaseViews.putRun(view, activity.lastRun(method.key()));
        }
        return view;
    }

    Map<String, Object> history(String manager, String key) {
        LeaseActivity activity = activities.of(manager);
        Map<String, Object> view = new LinkedHashMap<>();
        if (activity != null) {
            view.put("since", activity.since().toString());
        }
        view.put(
                "events",
                activity == null
                        ? List.of()
                        : activity.history(key).stream()
                                .map(LeaseActivityViews::event)
                                .toList());
        return view;
    }

    boolean knows(String manager, String key) {
        LeaseActivity activity = activities.of(manager);
        return activity != null && !activity.history(key).isEmpty();
    }

    private static Map<String, Object> event(Entry entry) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", entry.at().toString());
        view.put("event", entry.event());
        if (entry.owner() != null) {
            view.put("owner", entry.owner());
        }
        view.put("fencingToken", entry.fencingToken());
        if (entry.detail() != null) {
            view.put("detail", entry.detail());
        }
        return view;
    }

    /** Adds what a look at one lease showed to the events of its key. */
    void seen(String manager, LeaseInfo lease) {
        LeaseActivity activity = activities.of(manager);
        if (activity != null) {
            activity.seen(lease);
        }
    }

    /**
     * Returns a part of the last scan.
     *
     * @throws IllegalArgumentException if the offset or the limit is out of its range
     */
    Map<String, Object> snapshot(
            String name,
            LeaseManager manager,
            String prefix,
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
        Seen seen = activities.table(name).of(manager, prefix);
        LeaseActivity activity = activities.of(name);
        if (activity != null) {
            activity.seenIfKnown(seen.leases());
        }
        return page(seen, search == null ? "" : search.toLowerCase(Locale.ROOT), begin, size);
    }

    private Map<String, Object> page(Seen seen, String text, int begin, int size) {
        List<LeaseInfo> matching =
                seen.leases().stream().filter(lease -> matches(lease, text)).toList();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("now", activities.clock().instant().toString());
        view.put("readAt", seen.at().toString());
        view.put("maxAge", activities.tableMaxAge().toString());
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

    // hidden keys are not searched: the number of matches would tell them
    private boolean matches(LeaseInfo lease, String search) {
        String owner = lease.owner();
        return search.isEmpty()
                || (views.showsKeys() && lease.key().toLowerCase(Locale.ROOT).contains(search))
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
