package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.leasekit.ReleaseMode;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LeaseMetadataTest {

    private static final Path PAGE = page();
    private static final Pattern BOUND =
            Pattern.compile("(at least|at most|more than|less than) ((?:half of )?`[^`]+`)");
    private static final Pattern FROM_TO = Pattern.compile("^(`[^`]+`) to (`[^`]+`)$");

    /** Defaults of the properties that bounds of other properties refer to. */
    private static final Map<String, String> DEFAULTS =
            Map.of("lease.ttl", "60s", "lease.retention", "7d", "lease.once-retention", "400d");

    /** Searches upwards, because these tests run from the folders of two modules at different depths. */
    private static Path page() {
        Path page = Path.of("docs", "configuration.md");
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(page)) && folder.getParent() != null) {
            folder = folder.getParent();
        }
        return folder.resolve(page);
    }

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
                        "lease.store",
                        "lease.owner",
                        "lease.ttl",
                        "lease.heartbeat-interval",
                        "lease.key-prefix",
                        "lease.key-sharing",
                        "lease.store-timeout",
                        "lease.close-timeout",
                        "lease.max-waiters-per-key",
                        "lease.release-mode",
                        "lease.retention",
                        "lease.once-retention",
                        "lease.run-history",
                        "lease.release-in-background",
                        "lease.check-before-commit",
                        "lease.aspect.order",
                        "lease.leader.stop-timeout",
                        "lease.endpoint.show-keys",
                        "lease.endpoint.table-max-age",
                        "lease.pause.enabled",
                        "lease.table.name",
                        "lease.table.create",
                        "lease.table.verify",
                        "lease.dynamodb.endpoint",
                        "lease.dynamodb.region",
                        "lease.dynamodb.access-key",
                        "lease.dynamodb.secret-key",
                        "management.health.leases.enabled");
    }

    @Test
    void theMetadataShowsTheDefaults() throws IOException {
        assertThat(properties())
                .filteredOn(property -> property.containsKey("defaultValue"))
                .extracting(property -> property.get("name") + "=" + property.get("defaultValue"))
                .containsExactlyInAnyOrder(
                        "lease.enabled=true",
                        "lease.store=dynamodb",
                        "lease.key-sharing=false",
                        "lease.ttl=60s",
                        "lease.store-timeout=6s",
                        "lease.close-timeout=5s",
                        "lease.max-waiters-per-key=1000",
                        "lease.check-before-commit=true",
                        "lease.aspect.order=2147482647",
                        "lease.endpoint.show-keys=true",
                        "lease.endpoint.table-max-age=30s",
                        "lease.pause.enabled=false",
                        "lease.release-mode=retain",
                        "lease.retention=7d",
                        "lease.once-retention=400d",
                        "lease.run-history=0",
                        "lease.table.name=leases",
                        "lease.table.create=never",
                        "lease.table.verify=fail",
                        "management.health.leases.enabled=true");
    }

    @Test
    void thePageShowsEveryPropertyWithItsDefault() throws IOException {
        List<String> page = Files.readAllLines(PAGE);
        assertThat(properties())
                .allSatisfy(property -> assertThat(page)
                        .filteredOn(line -> line.startsWith("| `" + property.get("name") + "` |"))
                        .singleElement()
                        .satisfies(line -> assertThat(line).startsWith(beginOfRow(property))));
    }

    /** Returns the begin of a row. A default that depends on something else is described in words. */
    private static String beginOfRow(Map<String, Object> property) {
        String row = "| `" + property.get("name") + "` | ";
        Object value = property.get("defaultValue");
        return value == null ? row : row + "`" + value + "` |";
    }

    @Test
    void thePageShowsNoOtherProperties() throws IOException {
        Set<String> known = properties().stream()
                .map(property -> String.valueOf(property.get("name")))
                .collect(Collectors.toSet());
        assertThat(rows()).extracting(Row::property).isSubsetOf(known).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(classes = {DistributedLease.class, LeaderOnly.class})
    void thePageShowsEveryAttributeOfAnAnnotation(Class<?> annotation) throws IOException {
        List<String> section = Files.readAllLines(PAGE).stream()
                .dropWhile(line -> !line.equals("### `@" + annotation.getSimpleName() + "`"))
                .skip(1)
                .takeWhile(line -> !line.startsWith("#"))
                .toList();

        assertThat(annotation.getDeclaredMethods())
                .extracting(Method::getName)
                .allSatisfy(name -> assertThat(section)
                        .filteredOn(line -> line.matches("\\| (`\\w+`, )?`" + name + "`[ ,].*"))
                        .hasSize(1));
    }

    @Test
    void everyRowHasADefaultARangeAndAMeaning() throws IOException {
        assertThat(rows()).isNotEmpty().allSatisfy(row -> {
            assertThat(row.defaultValue()).as("default of %s", row.property()).isNotBlank();
            assertThat(row.range()).as("range of %s", row.property()).isNotBlank();
            assertThat(row.meaning()).as("meaning of %s", row.property()).matches("(?s)[A-Z`].*\\.");
        });
    }

    @Test
    void valuesWithinTheRangesOfThePageAreTakenAndOthersRefused() throws IOException {
        Set<String> checked = new TreeSet<>();
        for (Row row : rows()) {
            for (MatchResult bound : BOUND.matcher(row.range()).results().toList()) {
                checked.add(row.property());
                checkBound(row, bound.group(1), bound.group(2).replace("`", ""));
            }
            MatchResult both =
                    FROM_TO.matcher(row.range()).results().findFirst().orElse(null);
            if (both != null) {
                checked.add(row.property());
                checkBound(row, "at least", both.group(1).replace("`", ""));
                checkBound(row, "at most", both.group(2).replace("`", ""));
            }
        }

        assertThat(checked)
                .containsExactlyInAnyOrder(
                        "lease.ttl",
                        "lease.heartbeat-interval",
                        "lease.store-timeout",
                        "lease.close-timeout",
                        "lease.max-waiters-per-key",
                        "lease.retention",
                        "lease.once-retention",
                        "lease.run-history",
                        "lease.leader.stop-timeout",
                        "lease.endpoint.table-max-age");
    }

    private static void checkBound(Row row, String kind, String bound) {
        boolean isLower = kind.equals("at least") || kind.equals("more than");
        boolean isWithin = kind.startsWith("at ");
        boolean isWhole =
                List.of("lease.max-waiters-per-key", "lease.run-history").contains(row.property());
        int inwards = isLower ? 1 : -1;
        String outside = next(bound, isWithin ? -inwards : 0, isWhole);
        String within = next(bound, isWithin ? 0 : inwards, isWhole);

        start(row.property(), within)
                .run(context ->
                        assertThat(context).as("%s=%s", row.property(), within).hasNotFailed());
        start(row.property(), outside)
                .run(context -> assertThat(context)
                        .as("%s=%s", row.property(), outside)
                        .getFailure()
                        .hasRootCauseInstanceOf(LeaseSetupException.class));
    }

    private static ApplicationContextRunner start(String property, String value) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
                .withBean(InMemoryLeaseStore.class)
                .withPropertyValues(property + "=" + value);
    }

    /** Returns the value next to a bound: a value, or the default of another property, or half of that default. */
    private static String next(String bound, int direction, boolean isWhole) {
        String text = bound.replaceAll(".*(lease\\.[a-z-]+).*", "$1");
        if (text.startsWith("lease.")) {
            Duration other = duration(DEFAULTS.get(text));
            return millis(bound.startsWith("half") ? other.dividedBy(2) : other, direction);
        }
        if (text.matches("\\d+[a-z]+")) {
            return millis(duration(text), direction);
        }
        double step = isWhole ? 1 : 0.001;
        return String.valueOf(Double.parseDouble(text) + direction * step).replaceAll("\\.0$", "");
    }

    private static String millis(Duration duration, int direction) {
        return duration.toMillis() + direction + "ms";
    }

    private static Duration duration(String text) {
        return DurationStyle.detectAndParse(text);
    }

    @Test
    void theValuesThatThePageEnumeratesAreAll() throws IOException {
        assertThat(row("lease.release-mode").values()).isEqualTo(names(ReleaseMode.values()));
        assertThat(row("lease.store").values()).isEqualTo(names(LeaseProperties.StoreKind.values()));
        assertThat(row("lease.table.create").values()).isEqualTo(names(LeaseProperties.TableCreation.values()));
        for (Map<String, Object> property : properties()) {
            if ("java.lang.Boolean".equals(property.get("type"))) {
                assertThat(row(String.valueOf(property.get("name"))).values()).containsExactly("true", "false");
            }
        }
    }

    private static List<String> names(Enum<?>[] constants) {
        return Stream.of(constants).map(constant -> kebab(constant.name())).toList();
    }

    private static String kebab(String name) {
        return name.replaceAll("([a-z])([A-Z])", "$1-$2").replace('_', '-').toLowerCase(Locale.ROOT);
    }

    /** Returns the names of all properties. */
    static Stream<String> names() throws IOException {
        return properties().stream().map(property -> (String) property.get("name"));
    }

    private record Row(String property, String defaultValue, String range, String meaning) {

        /** The values that the range enumerates. */
        List<String> values() {
            return Stream.of(range.split(", "))
                    .map(value -> value.replace("`", ""))
                    .toList();
        }
    }

    private static Row row(String property) throws IOException {
        return rows().stream()
                .filter(row -> row.property().equals(property))
                .findFirst()
                .orElseThrow();
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| `lease.") || line.startsWith("| `management.health."))
                .map(line -> line.split(" \\| "))
                .map(cells ->
                        new Row(cells[0].replaceAll("[|` ]", ""), cells[1], cells[2], cells[3].replaceAll(" \\|$", "")))
                .toList();
    }

    private static List<Map<String, Object>> properties() throws IOException {
        try (InputStream metadata =
                LeaseProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertThat(metadata).as("configuration metadata").isNotNull();
            // 'management.endpoint.leases.*' belongs to Spring Boot, as for every endpoint
            return JsonPath.read(metadata, "$.properties[?(@.name =~ /(lease|management\\.health\\.leases)\\..*/)]");
        }
    }
}
