package io.leasekit.spring.actuate;

import io.leasekit.ForcedRelease;
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
 * The endpoint {@code leases}.
 *
 * <pre>
 * GET    /actuator/leases                       what this node holds and waits for; sends no request
 * GET    /actuator/leases/jobs                  the annotated methods, and the last run of those with a fixed key: a read each
 * GET    /actuator/leases/table?limit=&amp;after=   the leases that the table shows as held, those with the own prefix, by pages
 * GET    /actuator/leases/lease?key=            one lease, held or not
 * DELETE /actuator/leases?key=&amp;token=           takes the lease with this token from its holder; only where access is
 *                                               unrestricted
 * </pre>
 *
 * <p>Each takes {@code manager}, the name of a manager's bean, where there are several. Keys can be hidden; then pages cannot be
 * followed, since the next one begins at a key. It shows no versions, no addresses and no secrets. Thread-safe.
 */
@Endpoint(id = "leases", defaultAccess = Access.READ_ONLY)
@SuppressWarnings("deprecation") // Boot 3.5 knows an optional parameter by Spring's own @Nullable only
public final class LeasesEndpoint {

    private static final int MAX_JOBS = 100;
    private static final String DEFAULT = "leaseManager";

    private final Supplier<Map<String, LeaseManager>> managers;
    private final Supplier<List<LeasedMethod>> methods;
    private final Supplier<String> prefix;
    private final LeaseViews views;

    /**
     * Creates the endpoint.
     *
     * @param managers the managers that have been made, by name
     * @param methods the annotated methods
     * @param prefix what the keys of this application begin with; empty: anything
     * @param showKeys whether keys are shown
     */
    public LeasesEndpoint(
            Supplier<Map<String, LeaseManager>> managers,
            Supplier<List<LeasedMethod>> methods,
            Supplier<String> prefix,
            boolean showKeys) {
        this.managers = managers;
        this.methods = methods;
        this.prefix = prefix;
        this.views = new LeaseViews(showKeys);
    }

    /** Returns what this node holds and waits for, by manager. */
    @ReadOperation
    public Map<String, Object> leases() {
        Map<String, Object> nodes = new LinkedHashMap<>();
        managers.get().forEach((name, manager) -> nodes.put(name, views.node(manager)));
        return Map.of("managers", nodes);
    }

    /**
     * Returns one of the views {@code jobs}, {@code table} and {@code lease}; {@code null} if there is no such view, or no such
     * lease.
     *
     * @throws InvalidEndpointRequestException if a parameter is missing or cannot be used
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
            case "table" -> table(named(manager), after, limit);
            case "lease" -> lease(named(manager), key);
            default -> null;
        };
    }

    /**
     * Takes a lease from its holder: its renewals are refused from now on, and it is free once it would have ended by itself.
     *
     * @throws InvalidEndpointRequestException if a parameter cannot be used
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

    private @Nullable LeaseInfo lease(LeasedMethod method) {
        LeaseManager manager = find(method.manager().isEmpty() ? null : method.manager());
        try {
            return manager == null || method.key() == null
                    ? null
                    : manager.find(method.key()).orElse(null);
        } catch (LeaseException e) {
            return null; // the other jobs are shown
        }
    }

    private LeaseManager named(@Nullable String name) {
        LeaseManager manager = find(name);
        if (manager == null) {
            throw invalid("Parameter 'manager' must name one of several managers, as the endpoint shows them");
        }
        return manager;
    }

    /** By the bean's name or the manager's; without a name the only one, or the default one. */
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
