package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LeaseMetadataTest {

    @Test
    void everyPropertyHasADescriptionAsASentence() throws IOException {
        assertThat(properties())
                .isNotEmpty()
                .allSatisfy(property -> assertThat(property.get("description"))
                        .as("description of %s", property.get("name"))
                        .asString()
                        .matches("[A-Z].*\\."));
    }

    @Test
    void theMetadataNamesAllProperties() throws IOException {
        assertThat(properties())
                .extracting(property -> property.get("name"))
                .containsExactlyInAnyOrder(
                        "lease.enabled",
                        "lease.owner",
                        "lease.ttl",
                        "lease.heartbeat-interval",
                        "lease.key-prefix",
                        "lease.store-timeout",
                        "lease.close-timeout",
                        "lease.observation-time",
                        "lease.max-waiters-per-key",
                        "lease.at-risk-fraction",
                        "lease.release-mode",
                        "lease.retention",
                        "lease.once-retention",
                        "lease.release-in-background",
                        "lease.check-before-commit",
                        "lease.aspect.order",
                        "lease.endpoint.show-keys",
                        "lease.managers",
                        "lease.table.name",
                        "lease.table.create",
                        "lease.dynamodb.endpoint",
                        "lease.dynamodb.region",
                        "lease.dynamodb.access-key",
                        "lease.dynamodb.secret-key");
    }

    @Test
    void theMetadataShowsTheDefaults() throws IOException {
        assertThat(properties())
                .filteredOn(property -> property.containsKey("defaultValue"))
                .extracting(property -> property.get("name") + "=" + property.get("defaultValue"))
                .containsExactlyInAnyOrder(
                        "lease.enabled=true",
                        "lease.ttl=60s",
                        "lease.store-timeout=6s",
                        "lease.close-timeout=5s",
                        "lease.observation-time=5m",
                        "lease.max-waiters-per-key=1000",
                        "lease.check-before-commit=true",
                        "lease.aspect.order=2147482647",
                        "lease.endpoint.show-keys=true",
                        "lease.release-mode=retain",
                        "lease.retention=7d",
                        "lease.once-retention=400d",
                        "lease.table.name=leases",
                        "lease.table.create=never");
    }

    @Test
    void theReadmeShowsEveryPropertyWithItsDefault() throws IOException {
        List<String> readme = Files.readAllLines(Path.of("..", "README.md"));
        assertThat(properties())
                .allSatisfy(property -> assertThat(readme)
                        .filteredOn(line -> line.startsWith("| `" + property.get("name") + "` |"))
                        .singleElement()
                        .satisfies(line -> assertThat(line).startsWith(readmeRow(property))));
    }

    /** Where a default depends on something else, the README says so in words. */
    private static String readmeRow(Map<String, Object> property) {
        String row = "| `" + property.get("name") + "` | ";
        Object value = property.get("defaultValue");
        return value == null ? row : row + "`" + value + "` |";
    }

    @Test
    void theReadmeShowsNoOtherProperties() throws IOException {
        Set<String> known = properties().stream()
                .map(property -> String.valueOf(property.get("name")))
                .collect(Collectors.toSet());
        assertThat(Files.readAllLines(Path.of("..", "README.md")))
                .filteredOn(line -> line.startsWith("| `lease."))
                .extracting(line -> line.split("`", 3)[1])
                .isSubsetOf(known);
    }

    private static List<Map<String, Object>> properties() throws IOException {
        try (InputStream metadata =
                LeaseProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(metadata).as("configuration metadata").isNotNull();
            // those of the endpoint, 'management.endpoint.leases.*', are Spring Boot's, as for every endpoint
            return JsonPath.read(metadata, "$.properties[?(@.name =~ /lease\\..*/)]");
        }
    }
}
