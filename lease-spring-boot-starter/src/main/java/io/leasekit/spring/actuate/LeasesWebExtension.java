package io.leasekit.spring.actuate;

import io.leasekit.LeaseException;
import io.leasekit.LeasePause;
import io.leasekit.text.Text;
import java.security.Principal;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code leases} over HTTP. For each forced release and each pause, this class logs the user who sent the
 * request. Thread-safe.
 */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
@SuppressWarnings("deprecation") // Boot 3.5 recognizes optional parameters only by Spring's own @Nullable
public final class LeasesWebExtension {

    private static final Logger log = LoggerFactory.getLogger(LeasesWebExtension.class);

    private static final String UNAUTHENTICATED = "an unauthenticated user";
    private static final String NO_PAUSE = ", so none was lifted. The view 'pauses' shows those that there are";

    private final LeasesEndpoint endpoint;

    private final BiPredicate<String, Instant> fire;

    /**
     * Creates the extension of this endpoint.
     *
     * @param fire a function that fires the named method for a slot (a time of its cron expression); returns false if
     *     this node's schedule lacks the slot
     */
    public LeasesWebExtension(LeasesEndpoint endpoint, BiPredicate<String, Instant> fire) {
        this.endpoint = endpoint;
        this.fire = fire;
    }

    /** Returns the leases and waiting callers of this node. With a key, returns the view {@code lease} of this key. */
    @ReadOperation
    public WebEndpointResponse<Object> leases(@Nullable String key, @Nullable String manager) {
        return key == null ? answered(endpoint::leases) : view("lease", key, null, manager, null, null);
    }

    /**
     * Returns a view, as {@link LeasesEndpoint#view} does. If the view or the lease does not exist, the reply says so.
     */
    @ReadOperation
    public WebEndpointResponse<Object> view(
            @Selector String view,
            @Nullable String key,
            @Nullable String limit,
            @Nullable String manager,
            @Nullable String search,
            @Nullable String offset) {
        return answered(
                () -> endpoint.view(view, key, integer("limit", limit), manager, search, integer("offset", offset)),
                () -> endpoint.absence(view, key, manager));
    }

    /**
     * Releases a lease by force, or ends the {@code holdAtLeast} or {@code cooldown} of a released lease, as
     * {@link LeasesEndpoint#release} does. Logs the user who sent the request.
     */
    @DeleteOperation
    public WebEndpointResponse<Object> release(
            SecurityContext security,
            @Nullable String key,
            @Nullable String token,
            @Nullable String manager,
            @Nullable String endHold) {
        return answered(() -> {
            String released = given("key", key);
            long of = number("token", given("token", token));
            return release(
                    security, released, of, endpoint.release(released, of, manager, yesOrNo("endHold", endHold)));
        });
    }

    private static Map<String, Object> release(
            SecurityContext security, String key, long token, Map<String, Object> result) {
        log.atWarn()
                .addKeyValue("lease", Text.plain(key))
                .addKeyValue("token", token)
                .log(
                        "Forced release of lease {} with token {}, requested by {}: {}",
                        Text.quote(key),
                        token,
                        who(security),
                        Boolean.TRUE.equals(result.get("released"))
                                ? "released"
                                : result.containsKey("why") ? "kept by a hold" : "not held under this token");
        return result;
    }

    /**
     * A POST to "pauses" pauses keys. A POST to "runs" allows a finished run to be executed again. The error reply to an
     * invalid request describes the expected request.
     */
    @WriteOperation
    public WebEndpointResponse<Object> write(
            SecurityContext security,
            @Selector String view,
            @Nullable String key,
            @Nullable String duration,
            @Nullable String until,
            @Nullable String reason,
            @Nullable String manager,
            @Nullable String run,
            @Nullable String token) {
        return answered(() -> view.equals("runs")
                ? endpoint.runAgain(
                        given("key", key),
                        given("run", run),
                        number("token", given("token", token)),
                        endpoint.named(manager),
                        by(security),
                        fire)
                : pause(security, managerOf(view, manager), key, duration, until, reason));
    }

    /** If the key ends with {@code *}, pauses all keys with the prefix before the {@code *}. */
    private Map<String, Object> pause(
            SecurityContext security,
            String manager,
            @Nullable String key,
            @Nullable String duration,
            @Nullable String until,
            @Nullable String reason) {
        LeasePause pause = PauseOperations.pause(endpoint.manager(manager), key, duration, until, reason, by(security));
        log.atWarn()
                .addKeyValue("lease", Text.plain(pause.keyOrPrefix()))
                .log(
                        "Pause of {} until {}, requested by {}: {}",
                        Text.quote(pause.keyOrPrefix()),
                        pause.until(),
                        who(security),
                        Text.quote(pause.reason()));
        return endpoint.paused(pause, manager);
    }

    private static String by(SecurityContext security) {
        Principal user = security.getPrincipal();
        return user == null ? UNAUTHENTICATED : user.getName();
    }

    /** Lifts the pause of exactly this key or prefix, and logs the user who sent the request. */
    @DeleteOperation
    public WebEndpointResponse<Object> resume(
            SecurityContext security, @Selector String view, @Nullable String key, @Nullable String manager) {
        return answered(() -> {
            boolean resumed = PauseOperations.resume(endpoint.manager(managerOf(view, manager)), key);
            log.atWarn()
                    .addKeyValue("lease", Text.plain(String.valueOf(key)))
                    .log(
                            "End of the pause of {}, requested by {}: {}",
                            Text.quote(key),
                            who(security),
                            resumed ? "lifted" : "there was none");
            Map<String, Object> reply = new LinkedHashMap<>();
            reply.put("resumed", resumed);
            if (!resumed) {
                reply.put("warning", "No pause has exactly the key " + Text.quote(key) + NO_PAUSE);
            }
            return reply;
        });
    }

    private static WebEndpointResponse<Object> answered(Supplier<Object> call) {
        return answered(call, () -> "There is no such thing");
    }

    /** Replies to a failure with its reason, because Boot's error page would not show the reason. */
    private static WebEndpointResponse<Object> answered(
            Supplier<@org.jspecify.annotations.Nullable Object> call, Supplier<String> absence) {
        try {
            Object result = call.get();
            return result == null
                    ? error(absence.get(), WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(result);
        } catch (IllegalArgumentException | InvalidEndpointRequestException e) {
            return error(Text.why(e), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LeaseException e) {
            return error(Text.why(e), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    private static WebEndpointResponse<Object> error(String reason, int status) {
        return new WebEndpointResponse<>(Map.of("error", reason), status);
    }

    private static String given(String name, @Nullable String value) {
        if (value == null) {
            throw new IllegalArgumentException("Parameter '" + name + "' is missing");
        }
        return value;
    }

    private static @Nullable Integer integer(String name, @Nullable String value) {
        return value == null
                ? null
                : Integer.valueOf(
                        Math.toIntExact(Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, number(name, value)))));
    }

    private static boolean yesOrNo(String name, @Nullable String value) {
        if (value != null && !value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(
                    "Parameter '" + name + "' is " + Text.quote(value) + ", expected 'true' or 'false'");
        }
        return "true".equals(value);
    }

    private static long number(String name, String value) {
        try {
            return Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "Parameter '" + name + "' is " + Text.quote(value) + ", expected a whole number");
        }
    }

    private String managerOf(String view, @Nullable String manager) {
        if (!view.equals("pauses")) {
            throw new IllegalArgumentException(
                    "Path ends with " + Text.quote(view) + ", expected 'pauses': nothing else can be changed");
        }
        return endpoint.named(manager);
    }

    private static String who(SecurityContext security) {
        Principal user = security.getPrincipal();
        return user == null ? UNAUTHENTICATED : "user " + Text.quote(user.getName());
    }
}
