package io.leasekit.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.leasekit.LeaseMeasurement.RequestOutcome;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.yaml.snakeyaml.Yaml;

/** The pages and files for operators name all meters and labels, and only existing ones. */
class OperationsDocsTest {

    private static final Path DOCS = docs();
    private static final Pattern ROW = Pattern.compile("^\\| `(lease\\.[a-z.]+)` \\| ([a-z ]+) \\| ([^|]*) \\|");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(lease_[a-z_]+)(\\{([^}]*)})? ");
    private static final Pattern NAMED_SAMPLE = Pattern.compile("\\blease_[a-z_]+");
    private static final Pattern LABELS =
            Pattern.compile("by \\(([a-z, ]+)\\)|([a-z]+)(?:=~|!=|=)\"|\\{\\{ ?(?:\\$labels\\.)?([a-z]+) ?}}");

    /** Labels that Prometheus adds. */
    private static final Set<String> TARGET = Set.of("job", "instance");

    /** Searches upwards, because these tests run from the folders of two modules at different depths. */
    private static Path docs() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/operations.md")) && folder.getParent() != null) {
            folder = folder.getParent();
        }
        return folder.resolve("docs");
    }

    private record MeterRow(String name, String type, Set<String> tags) {}

    @Test
    void theMeterTableIsThatOfTheRegistry() throws IOException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Set<MeterRow> registered;
        try (ExercisedMeters all = new ExercisedMeters(registry)) {
            registered =
                    registry.getMeters().stream().map(OperationsDocsTest::row).collect(Collectors.toSet());
        }

        assertThat(documented()).containsExactlyInAnyOrderElementsOf(registered);
    }

    @Test
    void theMeterTableHasAllNamesThatThereAreConstantsOf() throws Exception {
        List<String> constants = new ArrayList<>();
        for (Field field : LeaseMeters.class.getFields()) {
            if (field.getType() == String.class) {
                constants.add((String) field.get(null));
            }
        }

        assertThat(documented()).extracting(MeterRow::name).containsExactlyInAnyOrderElementsOf(constants);
    }

    private static List<MeterRow> documented() throws IOException {
        return Files.readAllLines(DOCS.resolve("operations.md")).stream()
                .flatMap(line -> ROW.matcher(line).results())
                .map(row -> new MeterRow(row.group(1), row.group(2), tags(row.group(3))))
                .toList();
    }

    private static Set<String> tags(String cell) {
        return Arrays.stream(cell.split(", ")).map(tag -> tag.replace("`", "")).collect(Collectors.toSet());
    }

    private static MeterRow row(Meter meter) {
        return new MeterRow(
                meter.getId().getName(),
                meter.getId().getType().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                meter.getId().getTags().stream().map(Tag::getKey).collect(Collectors.toSet()));
    }

    @Test
    void theDashboardAsksForMetersThatThereAre() throws IOException {
        String dashboard = Files.readString(DOCS.resolve("leases-dashboard.json"));
        List<String> expressions = JsonPath.read(dashboard, "$.panels[*].targets[*].expr");
        List<String> variables = JsonPath.read(dashboard, "$.templating.list[*].definition");
        List<String> legends = JsonPath.read(dashboard, "$.panels[*].targets[*].legendFormat");

        assertThat(expressions).hasSizeGreaterThan(15);
        assertKnown(
                Stream.of(expressions, variables, legends).flatMap(List::stream).toList());
    }

    @Test
    void theDashboardShowsEveryMeter() throws IOException {
        List<String> expressions =
                JsonPath.read(Files.readString(DOCS.resolve("leases-dashboard.json")), "$.panels[*].targets[*].expr");
        String all = String.join(" ", expressions);

        assertThat(documented())
                .allSatisfy(meter -> assertThat(all).contains(meter.name().replace('.', '_')));
    }

    @Test
    void theAlertsAskForMetersThatThereAre() throws IOException {
        List<Map<String, Object>> rules = alerts();

        assertThat(rules).isNotEmpty().allSatisfy(rule -> assertThat(rule).containsKeys("alert", "expr", "labels"));
        assertKnown(rules.stream().map(rule -> String.valueOf(rule.get("expr"))).toList());
        assertKnown(rules.stream()
                .map(rule -> String.valueOf(rule.get("annotations")).replace("{{ $value }}", ""))
                .toList());
    }

    /** A failure that is retried, such as expired credentials, is no rejection. */
    @ParameterizedTest
    @EnumSource(
            value = RequestOutcome.class,
            names = {"NOT_APPLIED", "UNKNOWN", "REJECTED"})
    void aFailureOfEachKindHasACriticalAlert(RequestOutcome failure) throws IOException {
        String kind = failure.name().toLowerCase(Locale.ROOT);

        assertThat(failure.isFailure()).isTrue();
        assertThat(alerts())
                .filteredOn(rule -> String.valueOf(rule.get("labels")).contains("critical"))
                .extracting(rule -> String.valueOf(rule.get("expr")))
                .anySatisfy(expression -> assertThat(expression)
                        .containsPattern("lease_store_errors_total\\{kind(=\"" + kind + "|!=\"(?!" + kind + "))"));
    }

    @Test
    void theAlertsAreExplained() throws IOException {
        List<String> explained = Files.readAllLines(DOCS.resolve("operations.md")).stream()
                .filter(line -> line.matches("\\| `Lease[A-Za-z]+` \\| .*"))
                .map(line -> line.split("`", 3)[1])
                .filter(name -> !name.equals("Leases"))
                .toList();

        assertThat(alerts())
                .extracting(rule -> String.valueOf(rule.get("alert")))
                .containsExactlyElementsOf(explained);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> alerts() throws IOException {
        Map<String, Object> file = new Yaml().load(Files.readString(DOCS.resolve("leases-alerts.yaml")));
        List<Map<String, Object>> groups = (List<Map<String, Object>>) file.get("groups");
        return groups.stream()
                .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                .toList();
    }

    private static void assertKnown(List<String> texts) {
        Map<String, Set<String>> samples = samples();
        for (String text : texts) {
            Set<String> labels = new TreeSet<>(TARGET);
            for (MatchResult name : NAMED_SAMPLE.matcher(text).results().toList()) {
                assertThat(samples).as(text).containsKey(name.group());
                labels.addAll(samples.get(name.group()));
            }
            if (labels.equals(TARGET)) {
                samples.values().forEach(labels::addAll); // a legend, which names no meter
            }
            assertThat(labels).as(text).containsAll(labels(text));
        }
    }

    private static List<String> labels(String text) {
        return LABELS.matcher(text)
                .results()
                .flatMap(match -> Stream.of(match.group(1), match.group(2), match.group(3)))
                .filter(label -> label != null)
                .flatMap(label -> Arrays.stream(label.split(", ")))
                .toList();
    }

    /** Returns the labels of each meter that Prometheus scrapes. */
    private static Map<String, Set<String>> samples() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (ExercisedMeters all = new ExercisedMeters(registry)) {
            Map<String, Set<String>> samples = new TreeMap<>();
            SAMPLE.matcher(registry.scrape())
                    .results()
                    .forEach(sample -> samples.computeIfAbsent(sample.group(1), name -> new TreeSet<>())
                            .addAll(labelNames(sample.group(3))));
            return samples;
        }
    }

    private static List<String> labelNames(String labels) {
        return Pattern.compile("([a-z]+)=\"")
                .matcher(labels)
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
