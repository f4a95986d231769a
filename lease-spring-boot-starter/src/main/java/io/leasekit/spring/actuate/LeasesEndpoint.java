package io.leasekit.spring.actuate;

import io.leasekit.ForcedRelease;
import io.leasekit.LeaderElection;
import io.leasekit.LeaseException;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeasePage;
import io.leasekit.LeaseQuery;
import io.leasekit.spring.aop.LeasedMethod;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
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
 * GET    /actuator/leases                       leases and waits of this node; sends no request
 * GET    /actuator/leases/jobs                  annotated methods, with the last run if the key is fixed; one read each
 * GET    /actuator/leases/leaders               methods with {@code @LeaderOnly}, with the known leader; one read each
 * GET    /actuator/leases/table?limit=&amp;after=   held leases in the table, with keys that begin with the prefix; in pages
 * GET    /actuator/leases/lease?key=            one lease, held or not
 * DELETE /actuator/leases?key=&amp;token=           takes the lease with this token from its holder; needs unrestricted access
 * </pre>
 *
 * <p>If there are several managers, the parameter {@code manager} names the bean of one. If keys are hidden, pages cannot be
 * followed, because the next page begins at a key. Versions, addresses and secrets are never shown. Thread-safe.
 */
@Endpoint(id = "leases", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation") // Boot 3.5 recognizes optional parameters only by Spring's own @Nullable
public final class LeasesEndpoint {

    private static final int MAX_JOBS = 100;
    private static final String DEFAULT = "leaseManager";

    private final Supplier<Map<String, LeaseManager>> managers;
    private final Supplier<List<LeasedMethod>> methods;
    private final Supplier<Map<String, LeaderElection>> leaders;
    private final Supplier<String> prefix;
    private final LeaseViews views;

    /**
     * Creates the endpoint.
     *
     * @param managers the existing managers, by name
     * @param methods the annotated methods
     * @param leaders the elections, by the names of their methods
     * @param prefix the text that all keys of this application begin with; empty for any key
     * @param showKeys whether keys are shown
     */
    public LeasesEndpoint(
            Supplier<Map<String, LeaseManager>> managers,
            Supplier<List<LeasedMethod>> methods,
            Supplier<Map<String, LeaderElection>> leaders,
            Supplier<String> prefix,
            boolean showKeys) {
        this.managers = managers;
        this.methods = methods;
        this.leaders = leaders;
        this.prefix = prefix;
        this.views = new LeaseViews(showKeys);
    }

    /** Returns the held leases and the waits of this node, by manager. */
    @ReadOperation
    public Map<String, Object> leases() {
        Map<String, Object> nodes = new LinkedHashMap<>();
        managers.get().forEach((name, manager) -> nodes.put(name, views.node(manager)));
        return Map.of("managers", nodes);
    }

    /**
     * Returns one of the views {@code jobs}, {@code leaders}, {@code table} and {@code lease}; {@code null} if the view or the lease
     * does not exist.
     *
     * @throws InvalidEndpointRequestException if a parameter is missing or invalid
     */
    @ReadOperation
    public @Nullable Object view(
            @Selector String view,
            @Nullable String key,
            @Nullable String after,
            @Nullable Integer limit,
            @Nullable String manager) {
        return switch (view) {
            case "jobs" -> jobs();
            case "leaders" -> leaders();
            case "table" -> table(named(manager), after, limit);
            case "lease" -> lease(named(manager), key);
            default -> null;
        };
    }

    /**
     * Takes a lease from its holder. Renewals are refused from then on, and the key is free when the lease would have
     * expired.
     *
     * @throws InvalidEndpointRequestException if a parameter is invalid
     */
    @DeleteOperation
    public Map<String, Object> release(String key, long token, @Nullable String manager) {
        LeaseManager chosen = named(manager);
        ForcedRelease outcome = checked(() -> chosen.forceRelease(key, token));
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("released", outcome.isDone());
        if (outcome instanceof ForcedRelease.NotHeld other && other.seen() != null) {
            result.put("seen", views.info(other.seen()));
        }
        return result;
    }

    private @Nullable Object lease(LeaseManager manager, @Nullable String key) {
        if (key == null) {
            throw invalid("Parameter 'key' is missing");
        }
        return checked(() -> manager.find(key)).map(views::info).orElse(null);
    }

    private Map<String, Object> table(LeaseManager manager, @Nullable String after, @Nullable Integer limit) {
        LeasePage page = checked(() -> {
            LeaseQuery query = LeaseQuery.startingWith(prefix.get()).after(after);
            return manager.list(limit == null ? query : query.limit(limit));
        });
        return views.page(page);
    }

    private Map<String, Object> jobs() {
        List<Map<String, Object>> jobs = methods.get().stream()
                .limit(MAX_JOBS)
                .map(method -> views.job(method, lease(method)))
                .toList();
        return Map.of("jobs", jobs);
    }

    private Map<String, Object> leaders() {
        List<Map<String, Object>> all = leaders.get().entrySet().stream()
                .limit(MAX_JOBS)
                .map(entry -> views.election(entry.getKey(), entry.getValue(), leader(entry.getValue())))
                .toList();
        return Map.of("leaders", all);
    }

    private static @Nullable LeaseInfo leader(LeaderElection election) {
        try {
            return election.leader().orElse(null);
        } catch (LeaseException e) {
            return null; // show the other elections nevertheless
        }
    }

    private @Nullable LeaseInfo lease(LeasedMethod method) {
        LeaseManager manager = find(method.manager().isEmpty() ? null : method.manager());
        try {
            return manager == null || method.key() == null
                    ? null
                    : manager.find(method.key()).orElse(null);
        } catch (LeaseException e) {
            return null; // show the other jobs nevertheless
        }
    }

    private LeaseManager named(@Nullable String name) {
        LeaseManager manager = find(name);
        if (manager == null) {
            throw invalid("Parameter 'manager' must name one of the managers that the endpoint shows");
        }
        return manager;
    }

    /** Finds a manager by the name of its bean or its own name. Without a name, returns the only or the default one. */
    private @Nullable LeaseManager find(@Nullable String name) {
        Map<String, LeaseManager> known = managers.get();
        if (name == null) {
            return known.size() == 1 ? known.values().iterator().next() : known.get(DEFAULT);
        }
        LeaseManager manager = known.get(name);
        return manager != null ? manager : known.get(name + "LeaseManager");
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
