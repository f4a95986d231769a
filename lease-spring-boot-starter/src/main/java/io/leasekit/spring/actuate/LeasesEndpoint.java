package io.leasekit.spring.actuate;

import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.spring.policy.LeasedMethod;
import io.leasekit.text.Text;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.lang.Nullable;

/**
 * The actuator endpoint {@code leases}.
 *
 * <pre>
 * GET    /actuator/leases                       held leases and waiting callers of this node; sends no request
 * GET    /actuator/leases/jobs                  annotated methods with last runs; sends one read for each fixed key
 * GET    /actuator/leases/leaders               {@code @LeaderOnly} methods with leaders; one read for each method
 * GET    /actuator/leases/snapshot?search=&amp;offset=&amp;limit=   leases held at the last table scan, sorted by key
 * GET    /actuator/leases/lease?key=            the lease of this key, held or not; over HTTP also /leases?key=
 * GET    /actuator/leases/firings               annotated methods with last firings on this node; sends no request
 * GET    /actuator/leases/pauses                all pauses in the table; sends one read
 * POST   /actuator/leases/pauses                pauses keys; only over HTTP, and only with unrestricted access
 * DELETE /actuator/leases/pauses                lifts a pause; only over HTTP, and only with unrestricted access
 * POST   /actuator/leases/runs                  lets nodes repeat a run; only over HTTP, only with unrestricted access
 * DELETE /actuator/leases?key=&amp;token=&amp;endHold=   forced release, or end of a hold; needs unrestricted access
 * </pre>
 *
 * <p>If the application has several managers, the parameter {@code manager} selects a manager by its bean name. Without
 * the parameter {@code manager}, the view {@code lease} searches the tables of all managers. The endpoint never shows
 * versions, addresses or secrets. Thread-safe.
 */
@Endpoint(id = "leases", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation") // Boot 3.5 recognizes optional parameters only by Spring's own @Nullable
public final class LeasesEndpoint {

    private static final int MAX_JOBS = 100;
    private static final String DEFAULT = "leaseManager";
    private static final Comparator<String> DEFAULT_FIRST = Comparator.comparing(name -> !name.equals(DEFAULT));
    private static final String NO_MANAGER =
            "No manager has been used on this node yet, expected one: nothing can be shown or" + " changed before";
    private static final String NOTHING_PAUSED =
            "No method of this node with a fixed key is paused by this, expected a key as"
                    + " the table has it. The pause is stored, and applies to keys that other methods, other nodes or the API use";
    private static final String NOT_AS_SEEN =
            "The table does not show this run as the last one, done under this token and with nobody who holds the key";
    private static final String VIEWS = "'firings', 'jobs', 'leaders', 'snapshot', 'lease', 'pauses'";

    private final Supplier<Map<String, LeaseManager>> managers;
    private final Supplier<List<LeasedMethod>> methods;
    private final Leaders leaders;
    private final Supplier<String> prefix;
    final LeaseViews views;
    private final Clock clock = Clock.systemUTC();
    private final TableSnapshots snapshots;
    private final NextRuns nextRuns;

    /**
     * The methods with {@code @LeaderOnly}.
     *
     * @param elections the elections, by the names of their methods
     * @param manager a function from the name of a method to the bean name of the method's manager
     */
    public record Leaders(
            Supplier<Map<String, LeaderElection>> elections, Function<String, Optional<String>> manager) {}

    /**
     * Creates the endpoint.
     *
     * @param managers the existing managers, by name
     * @param methods the annotated methods
     * @param leaders the methods with {@code @LeaderOnly}
     * @param prefix the text with which all keys of this application begin; may be empty
     * @param showKeys whether the endpoint shows the keys of leases
     * @param tableMaxAge the maximum age of a shown table scan; the endpoint replaces older scans
     * @param nextRuns the next firings of scheduled methods
     */
    public LeasesEndpoint(
            Supplier<Map<String, LeaseManager>> managers,
            Supplier<List<LeasedMethod>> methods,
            Leaders leaders,
            Supplier<String> prefix,
            boolean showKeys,
            Duration tableMaxAge,
            NextRuns nextRuns) {
        this.managers = managers;
        this.methods = methods;
        this.leaders = leaders;
        this.prefix = prefix;
        this.views = new LeaseViews(showKeys);
        this.nextRuns = nextRuns;
        this.snapshots = new TableSnapshots(clock, tableMaxAge);
    }

    /** Returns the held leases and the waiting callers of this node, by manager. */
    @ReadOperation
    public Map<String, Object> leases() {
        Map<String, Object> nodes = new LinkedHashMap<>();
        managers.get().forEach((name, manager) -> {
            Map<String, Object> node = views.node(manager);
            if (node != null) {
                nodes.put(name, node);
            }
        });
        return Map.of("managers", nodes);
    }

    /**
     * Returns one of the views {@code firings}, {@code jobs}, {@code leaders}, {@code snapshot}, {@code lease}
     * and {@code pauses}; {@code null} if the view or the lease does not exist.
     *
     * @throws InvalidEndpointRequestException if a parameter is missing or invalid
     */
    @ReadOperation
    public @Nullable Object view(
            @Selector String view,
            @Nullable String key,
            @Nullable Integer limit,
            @Nullable String manager,
            @Nullable String search,
            @Nullable Integer offset) {
        return switch (view) {
            case "firings" -> firings();
            case "jobs" -> Map.of("jobs", jobs(new LeaseReads()));
            case "leaders" -> leaders();
            case "snapshot" -> snapshot(named(manager), search, offset, limit);
            case "lease" -> lease(manager, key);
            case "pauses" -> checked(() -> PauseOperations.list(manager(named(manager)), views));
            default -> null;
        };
    }

    /**
     * Releases a lease by force. After a forced release, renewals of the lease are refused. The key becomes free when
     * the lease would have expired, and the reply contains this time. A released lease may still keep the key because
     * of its {@code holdAtLeast} or {@code cooldown}. This method ends the {@code holdAtLeast} or {@code cooldown} only
     * if {@code endHold} is true.
     *
     * @throws InvalidEndpointRequestException if a parameter is invalid
     */
    @DeleteOperation
    public Map<String, Object> release(String key, long token, @Nullable String manager, @Nullable Boolean endHold) {
        LeaseManager chosen = manager(named(manager));
        // This request may fail, so this method sends the request before the release.
        Instant now = checked(chosen::time);
        LeaseInfo lease = checked(() -> chosen.find(key)).orElse(null);
        boolean kept = lease != null && lease.isKept() && lease.fencingToken() == token;
        if (lease != null && kept && !Boolean.TRUE.equals(endHold)) {
            return kept(lease, now);
        }
        // A kept lease was released before, so ending its hold immediately cannot let two owners run.
        ForcedRelease outcome = checked(() -> kept
                ? chosen.forceRelease(key, token, ForcedRelease.TwoMayRun.IMMEDIATELY)
                : chosen.forceRelease(key, token));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("released", outcome.isDone());
        if (outcome instanceof ForcedRelease.NotHeld other && other.seen() != null) {
            result.put("seen", views.info(other.seen()));
        } else if (outcome.isDone()) {
            views.putRemaining(result, kept || lease == null ? null : lease.expiresAt(), now);
        }
        return result;
    }

    private Map<String, Object> kept(LeaseInfo lease, Instant now) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("released", false);
        result.put(
                "why",
                "The lease was released before, and a hold keeps its key until " + lease.expiresAt()
                        + ". The parameter 'endHold=true' ends the hold");
        views.putRemaining(result, lease.expiresAt(), now);
        result.put("seen", views.info(lease));
        return result;
    }

    /** {@code fire} starts the run if this node schedules a method with this key at the time that the run names. */
    Map<String, Object> runAgain(
            String key, String run, long token, String manager, String by, BiPredicate<String, Instant> fire) {
        LeaseManager chosen = manager(manager);
        boolean allowed = checked(() -> chosen.runAgain(key, run, token, by));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("allowed", allowed);
        if (allowed) {
            String begun = fired(key, run, manager, fire);
            result.put(
                    begun == null ? "warning" : "begins",
                    begun == null ? "Nothing begins by this: the next call for this run gets the lease" : begun);
        } else {
            result.put("why", NOT_AS_SEEN);
            checked(() -> chosen.find(key)).ifPresent(lease -> result.put("seen", views.info(lease)));
        }
        return result;
    }

    private @Nullable String fired(String key, String run, String manager, BiPredicate<String, Instant> fire) {
        Instant slot;
        try {
            slot = Instant.parse(run);
        } catch (DateTimeException e) {
            // A run whose name is no time is a named run, and no scheduler fires named runs.
            return null;
        }
        return methods.get().stream()
                .filter(method -> key.equals(method.key()) && manager.equals(nameOf(method)))
                .map(LeasedMethod::method)
                .filter(method -> fire.test(method, slot))
                .findFirst()
                .orElse(null);
    }

    /** If several tables have a lease of the key, a held lease takes precedence. */
    private @Nullable Map<String, Object> lease(@Nullable String manager, @Nullable String key) {
        String given = given(key);
        Map<String, LeaseInfo> found = new LinkedHashMap<>();
        LeaseException failure = null;
        for (String name : asked(manager)) {
            try {
                checked(() -> manager(name).find(given)).ifPresent(lease -> found.put(name, lease));
            } catch (LeaseException e) {
                failure = e;
            }
        }
        if (found.isEmpty() && failure != null) {
            throw failure;
        }
        return found.entrySet().stream()
                .max(Comparator.comparing(one -> one.getValue().held()))
                .map(one -> lease(one.getKey(), one.getValue()))
                .orElse(null);
    }

    private Map<String, Object> lease(String manager, LeaseInfo lease) {
        Map<String, Object> view = views.info(lease);
        view.put("manager", manager);
        return view;
    }

    private List<String> asked(@Nullable String manager) {
        if (manager != null) {
            return List.of(named(manager));
        }
        Set<String> known = managers.get().keySet();
        if (known.isEmpty()) {
            throw invalid(NO_MANAGER);
        }
        return known.stream().sorted(DEFAULT_FIRST).toList();
    }

    String absence(String view, @Nullable String key, @Nullable String manager) {
        if (!view.equals("lease")) {
            return "There is no view " + Text.quote(view) + ", expected one of " + VIEWS;
        }
        List<String> asked = asked(manager);
        return "No table of " + String.join(", ", asked) + " has a lease with the key " + Text.quote(key)
                + ". A released lease is removed from the table after 'lease.retention', and a manager is listed from its first"
                + " use";
    }

    Map<String, Object> paused(LeasePause pause, String manager) {
        Map<String, Object> view = views.pause(pause);
        view.put("manager", manager);
        List<String> covered = Stream.concat(
                        methods.get().stream()
                                .filter(method -> manager.equals(nameOf(method)))
                                .filter(method -> method.keys().stream()
                                        .anyMatch(key -> key.fixed() && pause.covers(key.begin())))
                                .map(LeasedMethod::method),
                        leaders.elections().get().entrySet().stream()
                                .filter(election -> manager.equals(leaders.manager()
                                        .apply(election.getKey())
                                        .orElse(null)))
                                .filter(election ->
                                        pause.covers(election.getValue().key()))
                                .map(Map.Entry::getKey))
                .limit(MAX_JOBS)
                .toList();
        view.put("methods", covered);
        if (covered.isEmpty()) {
            view.put("warning", NOTHING_PAUSED);
        }
        return view;
    }

    private Map<String, Object> snapshot(
            String manager, @Nullable String search, @Nullable Integer offset, @Nullable Integer limit) {
        return checked(() -> snapshots.page(manager, manager(manager), prefix.get(), views, search, offset, limit));
    }

    private Map<String, Object> firings() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("now", clock.instant().toString());
        view.put("jobs", jobs(null));
        return view;
    }

    /** If {@code reads} is {@code null}, leaves the leases out. */
    private List<Map<String, Object>> jobs(@Nullable LeaseReads reads) {
        Map<String, Instant> next = nextRuns.byMethod();
        return methods.get().stream()
                .limit(MAX_JOBS)
                .map(method -> views.job(method, nameOf(method), lease(method, reads), next.get(method.method())))
                .toList();
    }

    private Map<String, Object> leaders() {
        LeaseReads reads = new LeaseReads();
        List<Map<String, Object>> all = leaders.elections().get().entrySet().stream()
                .limit(MAX_JOBS)
                .map(entry -> election(entry.getKey(), entry.getValue(), reads))
                .toList();
        return Map.of("leaders", all);
    }

    private Map<String, Object> election(String method, LeaderElection election, LeaseReads reads) {
        String manager = leaders.manager().apply(method).orElse(null);
        LeaseReads.Read read = reads.read(String.valueOf(manager), election::leader);
        return views.election(method, manager, election, read);
    }

    private LeaseReads.Read lease(LeasedMethod method, @Nullable LeaseReads reads) {
        String manager = nameOf(method);
        String key = method.key();
        // Only the view 'snapshot' shows the leases of methods with permits.
        return reads == null || manager == null || key == null || method.permits() > 0
                ? LeaseReads.Read.NONE
                : reads.read(manager, () -> manager(manager).find(key));
    }

    private @Nullable String nameOf(LeasedMethod method) {
        return nameOf(method.manager().isEmpty() ? null : method.manager());
    }

    LeaseManager manager(String name) {
        return Objects.requireNonNull(managers.get().get(name));
    }

    String named(@Nullable String name) {
        String manager = nameOf(name);
        if (manager == null) {
            Set<String> known = managers.get().keySet();
            throw invalid(
                    known.isEmpty()
                            ? NO_MANAGER
                            : "Parameter 'manager' is " + (name == null ? "missing" : Text.quote(name))
                                    + ", expected one of "
                                    + known.stream()
                                            .sorted(DEFAULT_FIRST)
                                            .map(Text::quote)
                                            .collect(Collectors.joining(", "))
                                    + "; a manager is listed from its first use");
        }
        return manager;
    }

    /** Without a name, returns the only manager or the default manager; {@code null} if there is no such manager. */
    private @Nullable String nameOf(@Nullable String name) {
        Set<String> known = managers.get().keySet();
        if (name == null) {
            return known.size() == 1 ? known.iterator().next() : known.contains(DEFAULT) ? DEFAULT : null;
        }
        return known.contains(name) ? name : null;
    }

    private static String given(@Nullable String key) {
        if (key == null) {
            throw invalid("Parameter 'key' is missing");
        }
        return key;
    }

    private static <T> T checked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }
}
