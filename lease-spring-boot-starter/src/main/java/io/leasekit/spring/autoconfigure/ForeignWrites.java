package io.leasekit.spring.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.http.HttpMethod;

/**
 * Refuses writes to the endpoint {@code leases} that lack the header {@code X-Requested-With}. An HTML form cannot set
 * a header, so a form on another site cannot write with the permissions of a signed-in user. Thread-safe.
 */
final class ForeignWrites {

    /** Order of the handler mapping: after Leasekit's console page, and before the endpoint {@code leases}. */
    static final int ORDER = -150;

    static final String HEADER = "X-Requested-With";

    static final byte[] REFUSAL = ("{\"error\":\"Header '" + HEADER
                    + "' is missing, expected any value: it shows that no form of another site sent this request\"}")
            .getBytes(StandardCharsets.UTF_8);

    private static final EndpointId ENDPOINT = EndpointId.of("leases");

    private ForeignWrites() {}

    static boolean mayPass(HttpMethod method, @Nullable String header) {
        return method.equals(HttpMethod.GET)
                || method.equals(HttpMethod.HEAD)
                || method.equals(HttpMethod.OPTIONS)
                || (header != null && !header.isBlank());
    }

    static Map<String, Object> mapped(PathMappedEndpoints endpoints, Object handler) {
        Map<String, Object> mapped = new HashMap<>();
        String path = endpoints.getPath(ENDPOINT);
        if (path != null) {
            mapped.put(path, handler);
            mapped.put(path + "/**", handler);
        }
        return mapped;
    }
}
