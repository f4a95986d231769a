package io.leasekit.spring.actuate;

import io.leasekit.LeaseManager;
import io.leasekit.LeasePause;
import io.leasekit.internal.Text;
import java.security.Principal;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/**
 * The endpoint {@code leases} over HTTP: forced releases and pauses are logged with the user who asked
 * for them. Thread-safe.
 */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
@SuppressWarnings("deprecation") // Boot 3.5 recognizes optional parameters only by Spring's own @Nullable
public final class LeasesWebExtension {

    private static final Logger log = LoggerFactory.getLogger(LeasesWebExtension.class);

    private static final String UNAUTHENTICATED = "an unauthenticated user";

    private final LeasesEndpoint endpoint;

    /** Creates the extension of this endpoint. */
    public LeasesWebExtension(LeasesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Takes a lease from its holder, as {@link LeasesEndpoint#release} does, and logs who asked for it. */
    @DeleteOperation
    public Map<String, Object> release(SecurityContext security, String key, long token, @Nullable String manager) {
        Map<String, Object> result = endpoint.release(key, token, manager);
        log.atWarn()
                .addKeyValue("lease", key)
                .addKeyValue("token", token)
                .log(
                        "Forced release of lease {} with token {}, requested by {}: {}",
                        Text.quote(key),
                        token,
                        who(security),
                        Boolean.TRUE.equals(result.get("released")) ? "released" : "not held under this token");
        return result;
    }

    /**
     * Pauses a key, or all keys with a prefix if it ends with {@code *}, for a duration or until a time. Logs who asked.
     * The reply to an invalid request says what was expected.
     */
    @WriteOperation
    public WebEndpointResponse<Map<String, Object>> pause(
            SecurityContext security,
            @Selector String view,
            @Nullable String key,
            @Nullable String duration,
            @Nullable String until,
            @Nullable String reason,
            @Nullable String manager) {
        return answered(() -> {
            Principal user = security.getPrincipal();
            String by = user == null ? UNAUTHENTICATED : user.getName();
            LeasePause pause = PauseOperations.pause(pausesOf(view, manager), key, duration, until, reason, by);
            log.atWarn()
                    .addKeyValue("lease", pause.keyOrPrefix())
                    .log(
                            "Pause of {} until {}, requested by {}: {}",
                            Text.quote(pause.keyOrPrefix()),
                            pause.until(),
                            who(security),
                            Text.quote(pause.reason()));
            return endpoint.views.pause(pause);
        });
    }

    /** Lifts a pause of exactly this key or prefix, and logs who asked for it. */
    @DeleteOperation
    public WebEndpointResponse<Map<String, Object>> resume(
            SecurityContext security, @Selector String view, @Nullable String key, @Nullable String manager) {
        return answered(() -> {
            boolean resumed = PauseOperations.resume(pausesOf(view, manager), key);
            log.atWarn()
                    .addKeyValue("lease", key)
                    .log(
                            "End of the pause of {}, requested by {}: {}",
                            Text.quote(key),
                            who(security),
                            resumed ? "lifted" : "there was none");
            return Map.of("resumed", resumed);
        });
    }

    /** Returns the result, or the reason for which the request is invalid: Boot's error page does not show it. */
    private static WebEndpointResponse<Map<String, Object>> answered(Supplier<Map<String, Object>> call) {
        try {
            return new WebEndpointResponse<>(call.get());
        } catch (IllegalArgumentException | InvalidEndpointRequestException e) {
            return new WebEndpointResponse<>(
                    Map.of("error", String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private LeaseManager pausesOf(String view, @Nullable String manager) {
        if (!view.equals("pauses")) {
            throw new IllegalArgumentException(
                    "Path ends with " + Text.quote(view) + ", expected 'pauses': nothing else can be changed");
        }
        return endpoint.manager(endpoint.named(manager));
    }

    private static String who(SecurityContext security) {
        Principal user = security.getPrincipal();
        return user == null ? UNAUTHENTICATED : "user " + Text.quote(user.getName());
    }
}
