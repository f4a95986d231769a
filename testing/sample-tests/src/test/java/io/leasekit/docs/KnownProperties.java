package io.leasekit.docs;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The properties of Leasekit and Spring Boot, by the metadata on the class path. */
final class KnownProperties {

    private static final String MAP = "java.util.Map";

    /** By name; without a default, the empty text. */
    private final Map<String, String> defaults = new TreeMap<>();

    private final Map<String, String> types = new TreeMap<>();

    KnownProperties() {
        try {
            List<URL> files = Collections.list(
                    KnownProperties.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"));
            for (URL file : files) {
                read(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(URL file) throws IOException {
        try (InputStream metadata = file.openStream()) {
            List<Map<String, Object>> properties = JsonPath.parse(metadata).read("$.properties[*]");
            for (Map<String, Object> property : properties) {
                String name = String.valueOf(property.get("name"));
                defaults.put(name, String.valueOf(property.getOrDefault("defaultValue", "")));
                types.put(name, String.valueOf(property.get("type")));
            }
        }
    }

    /** Returns the default of a property. */
    String defaultOf(String name) {
        String value = defaults.get(name);
        if (value == null) {
            throw new IllegalArgumentException("There is no property '" + name + "'");
        }
        return value;
    }

    /** Returns whether there is a property of this name, or a map of which it names an entry. */
    boolean has(String name) {
        return defaults.containsKey(name)
                || types.entrySet().stream()
                        .anyMatch(type -> type.getValue().startsWith(MAP) && name.startsWith(type.getKey() + "."));
    }
}
