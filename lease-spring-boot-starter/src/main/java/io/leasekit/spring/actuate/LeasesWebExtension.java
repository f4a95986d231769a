package io.leasekit.spring.actuate;

import io.leasekit.internal.Text;
import java.security.Principal;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/** The endpoint {@code leases} over HTTP: a forced release is logged with the user who asked for it. Thread-safe. */
@EndpointWebExtension(endpoint = LeasesEndpoint.class)
@SuppressWarnings("deprecation") // Boot 3.5 recognizes optional parameters only by Spring's own @Nullable
public final class LeasesWebExtension {

    private static final Logger log = LoggerFactory.getLogger(LeasesWebExtension.class);

    private final LeasesEndpoint endpoint;

    /** Creates the extension of this endpoint. */
    public LeasesWebExtension(LeasesEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Takes a lease from its holder, as {@link LeasesEndpoint#release} does, and logs who asked for it. */
    @DeleteOperation
    public Map<String, Object> release(SecurityContext security, String key, long token, @Nullable String manager) {
        Map<String, Object> result = endpoint.release(key, token, manager);
        Principal user = security.getPrincipal();
        log.atWarn()
                .addKeyValue("lease", key)
                .addKeyValue("token", token)
                .log(
                        "Forced release of lease {} with token {}, requested by {}: {}",
                        Text.quote(key),
                        token,
                        user == null ? "an unauthenticated user" : "user " + Text.quote(user.getName()),
                        Boolean.TRUE.equals(result.get("released")) ? "released" : "not held under this token");
        return result;
    }
}
