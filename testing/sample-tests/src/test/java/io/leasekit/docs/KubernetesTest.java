package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseHealthAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseHealthCheckAutoConfiguration;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesAutoConfiguration;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Scheduled;

/** Kubernetes in docs/operations.md: the grace period, the groups of the probes, a rolling update of a schedule. */
@ExtendWith(OutputCaptureExtension.class)
class KubernetesTest {

    private static final Path PAGE = DocumentPages.DOCS.resolve("operations.md");
    private static final Map<String, Object> POD = pod();
    private static final Map<String, String> PROPERTIES =
            YamlBlocks.properties(YamlBlocks.of(PAGE).get(1));
    private static final Pattern STEP = Pattern.compile("(?m)^\\| [^|]+ \\| [^|]+ \\| (\\d+) s \\|$");
    private static final String IN_READINESS = "management.endpoint.health.group.readiness.include";

    private final TestLeases leases = TestLeases.create();
    private final List<String> created = new ArrayList<>();

    @SuppressWarnings("unchecked")
    private static Map<String, Object> pod() {
        return (Map<String, Object>) YamlBlocks.at(YamlBlocks.of(PAGE).get(0), "spec", "template", "spec");
    }

    private static Object container(Object... path) {
        return YamlBlocks.at(YamlBlocks.at(POD, "containers", 0), path);
    }

    @Test
    void theGracePeriodIsTheSumOfAllSteps() {
        long preStop = (int) container("lifecycle", "preStop", "sleep", "seconds");
        long phase = seconds(PROPERTIES.get("spring.lifecycle.timeout-per-shutdown-phase"));
        long close = seconds(new KnownProperties().defaultOf("lease.close-timeout"));

        assertThat(steps()).containsExactly(preStop, phase, phase, phase, 2 * close);
        assertThat((int) YamlBlocks.at(POD, "terminationGracePeriodSeconds"))
                .isEqualTo((int) steps().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void byDefaultAPhaseMayLastAsLongAsTheGracePeriodOfKubernetes() {
        long byDefault = seconds(new KnownProperties().defaultOf("spring.lifecycle.timeout-per-shutdown-phase"));

        assertThat(byDefault).isEqualTo(30);
        assertThat(DocumentPages.read(PAGE)).contains("may last " + byDefault + " s");
    }

    private static long seconds(String duration) {
        return DurationStyle.detectAndParse(duration).toSeconds();
    }

    private static List<Long> steps() {
        return STEP.matcher(DocumentPages.read(PAGE))
                .results()
                .map(row -> Long.valueOf(row.group(1)))
                .toList();
    }

    @Test
    void theProbesAskForGroups() {
        assertThat(Stream.of("startupProbe", "livenessProbe", "readinessProbe")
                        .map(probe -> container(probe, "httpGet", "path")))
                .containsExactly(
                        "/actuator/health/liveness", "/actuator/health/liveness", "/actuator/health/readiness");
    }

    @Test
    void noGroupHasLeasesUnlessReadinessIsToldSo() {
        try (ConfigurableApplicationContext pod = pod("0 0 3 * * *")) {
            HealthEndpointGroups groups = pod.getBean(HealthEndpointGroups.class);
            assertThat(groups.getPrimary().isMember("leases")).isTrue();
            assertThat(groups.get("liveness").isMember("leases")).isFalse();
            assertThat(groups.get("readiness").isMember("leases")).isFalse();
        }
        try (ConfigurableApplicationContext pod = pod("0 0 3 * * *", IN_READINESS + "=" + onRequest())) {
            HealthEndpointGroups groups = pod.getBean(HealthEndpointGroups.class);
            assertThat(groups.get("liveness").isMember("leases")).isFalse();
            assertThat(groups.get("readiness").isMember("leases")).isTrue();
            assertThat(groups.get("readiness").isMember("readinessState")).isTrue();
        }
    }

    /** Returns the value that the page gives the property. */
    private static String onRequest() {
        return Pattern.compile(Pattern.quote(IN_READINESS) + ":\\s+([a-zA-Z,]+)`")
                .matcher(DocumentPages.read(PAGE))
                .results()
                .map(MatchResult::group)
                .map(property -> property.replaceAll("(?s).*:\\s+|`", ""))
                .findFirst()
                .orElseThrow();
    }

    /** The old pods have 9:00, the new ones 8:30 and 9:00. */
    @Test
    void duringAChangeOfTheExpressionATimeOfBothRunsOnceAndATimeOfOneRunsThere() {
        try (ConfigurableApplicationContext old = pod("0 0 9 * * *");
                ConfigurableApplicationContext recent = pod("0 0,30 8-9 * * *")) {
            leases.advanceTo(Instant.parse("2027-01-15T08:30:00Z"));
            fire(recent);
            leases.advanceTo(Instant.parse("2027-01-15T09:00:00Z"));
            fire(old);
            fire(recent);
        }

        assertThat(created).containsExactly("2027-01-15T08:30:00Z", "2027-01-15T09:00:00Z");
    }

    @Test
    void aTimeBeforeOneThatIsDoneIsSkippedWithAWarning(CapturedOutput output) {
        try (ConfigurableApplicationContext old = pod("0 0 9 * * *");
                ConfigurableApplicationContext recent = pod("0 59 8 * * *")) {
            leases.advanceTo(Instant.parse("2027-01-15T09:00:00Z"));
            fire(old);
            leases.advance(Duration.ofSeconds(1)); // the firing of the new pod is late
            fire(recent);
        }

        assertThat(created).containsExactly("2027-01-15T09:00:00Z");
        assertThat(output)
                .containsPattern("WARN.*for 2027-01-15T08:59:00Z is skipped: .* 'nightly-report' was for"
                        + " '2027-01-15T09:00:00Z', which is later");
    }

    private void fire(ConfigurableApplicationContext pod) {
        leases.fire(pod.getBean(Job.class), "createReport");
    }

    private ConfigurableApplicationContext pod(String cron, String... properties) {
        SpringApplicationBuilder pod = new SpringApplicationBuilder(Pod.class)
                .web(WebApplicationType.NONE)
                .profiles("aws") // the table is in memory, so no local database is started
                .properties("report.cron=" + cron, "lease.close-timeout=1ms")
                .properties(properties);
        return pod.initializers(context -> {
                    context.getBeanFactory().registerSingleton("leases", leases);
                    context.getBeanFactory().registerSingleton("reports", (Reports) created::add);
                })
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        TestLeasesAutoConfiguration.class,
        LeaseAutoConfiguration.class,
        HealthContributorRegistryAutoConfiguration.class,
        ApplicationAvailabilityAutoConfiguration.class,
        AvailabilityHealthContributorAutoConfiguration.class,
        AvailabilityProbesAutoConfiguration.class,
        HealthEndpointAutoConfiguration.class,
        LeaseHealthCheckAutoConfiguration.class,
        LeaseHealthAutoConfiguration.class
    })
    static class Pod {

        @Bean
        Job job(Reports reports) {
            return new Job(reports);
        }
    }

    interface Reports {
        void create(String time);
    }

    static class Job {

        private final Reports reports;

        Job(Reports reports) {
            this.reports = reports;
        }

        @Scheduled(cron = "${report.cron}", zone = "UTC")
        @DistributedLease("nightly-report")
        void createReport() {
            reports.create(LeaseContext.current().runName().orElseThrow());
        }
    }
}
