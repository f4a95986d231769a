package io.leasekit.console;

import io.leasekit.spring.actuate.LeasesAccess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpMethod;

/**
 * The files of the console's web page, and the HTTP headers of each reply. Immutable.
 *
 * <p>The page is served below the path of the actuator endpoint {@code leases}, with the endpoint's port and access
 * rules.
 */
final class ConsoleFiles {

    /**
     * Spring must ask this mapping before the mapping of the endpoint {@code leases}, which would take {@code console}
     * for the name of a view.
     */
    static final int ORDER = -200;

    private static final EndpointId ENDPOINT = EndpointId.of("leases");

    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-cache");

    private static final String PAGE = "index.html";
    private static final List<String> NAMES = List.of(
            PAGE,
            "console.css",
            "icon.svg",
            "console.js",
            "columns.js",
            "detail.js",
            "dom.js",
            "endpoint.js",
            "firings.js",
            "format.js",
            "keys.js",
            "pauses.js");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "svg", "image/svg+xml");

    private final @Nullable String path;
    private final Map<String, ConsoleFile> files = new HashMap<>();

    /** A file of the console's page. Callers must not change {@code content}. */
    static final class ConsoleFile {

        final String type;
        final byte[] content;

        private ConsoleFile(String type, byte[] content) {
            this.type = type;
            this.content = content;
        }
    }

    /** {@code path} is {@code null} if the endpoint is not exposed. */
    ConsoleFiles(@Nullable String path, boolean writable) {
        this.path = path;
        for (String name : NAMES) {
            byte[] content = read(name);
            files.put(name, new ConsoleFile(type(name), name.equals(PAGE) && writable ? writable(content) : content));
        }
    }

    static ConsoleFiles of(PathMappedEndpoints endpoints, EndpointAccessResolver access, Environment environment) {
        String endpoint = endpoints.getPath(ENDPOINT);
        return new ConsoleFiles(
                endpoint == null ? null : endpoint + "/console",
                LeasesAccess.isUnrestricted(environment)
                        && access.accessFor(ENDPOINT, Access.READ_ONLY) == Access.UNRESTRICTED);
    }

    <T> Map<String, T> mapped(Function<ConsoleFile, T> handler) {
        Map<String, T> mapped = new HashMap<>();
        String page = path;
        if (page != null) {
            for (String name : NAMES) {
                String address = name.equals(PAGE) ? page : page + "/" + name;
                mapped.put(address, handler.apply(Objects.requireNonNull(files.get(name))));
            }
        }
        return mapped;
    }

    static boolean isRead(HttpMethod method) {
        return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    private static byte[] read(String name) {
        try (InputStream file = ConsoleFiles.class.getResourceAsStream(name)) {
            if (file == null) {
                throw new IllegalStateException("File '" + name + "' is missing in the jar of the console");
            }
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] writable(byte[] page) {
        return new String(page, StandardCharsets.UTF_8)
                .replace("data-writable=\"false\"", "data-writable=\"true\"")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String type(String name) {
        return TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream");
    }

    /** Registers the console's files as resources of native images. */
    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
            NAMES.forEach(name -> hints.resources().registerPattern("io/leasekit/console/" + name));
        }
    }
}
