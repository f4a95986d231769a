package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.LeaseManager;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaderOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.scheduling.annotation.Scheduled;

/** The line at the start. */
@ExtendWith(OutputCaptureExtension.class)
class LeaseStartReportTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseInMemoryAutoConfiguration.class,
                    LeaseAutoConfiguration.class))
            .withPropertyValues("lease.owner=here", "lease.close-timeout=0s");

    static class Jobs {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("nightly")
        public void nightly() {}

        @DistributedLease("call")
        public void call() {}

        @LeaderOnly("ingest")
        public void ingest() {}
    }

    private static List<String> lines(CapturedOutput output) {
        return output.getOut()
                .lines()
                .filter(line -> line.contains("Lease manager '"))
                .map(line -> line.substring(line.indexOf("Lease manager '")).strip())
                .toList();
    }

    @Test
    void theLineShowsTheSettingsAndTheMethods(CapturedOutput output) {
        runner.withBean(Jobs.class)
                .withPropertyValues(
                        "lease.store=in-memory",
                        "lease.key-prefix=shop/",
                        "lease.ttl=90s",
                        "lease.pause.enabled=true",
                        "lease.once-retention=30d")
                .run(context -> assertThat(lines(output))
                        .containsExactly(
                                "Lease manager 'default': in memory, excludes no other process, key prefix of methods 'shop/',"
                                        + " ttl 1 min 30 s, pauses on, runs remembered for 30 d, owner 'here', methods with a"
                                        + " lease: 2 (scheduled jobs: 1), leaders: 1, as far as beans are created"));
    }

    @Test
    void aManagerThatIsNotUsedIsNotCreatedForTheLine(CapturedOutput output) {
        runner.withPropertyValues("lease.store=in-memory").run(context -> {
            assertThat(lines(output)).singleElement().asString().endsWith("remembered for 400 d, not used so far");
            assertThat(context.getBeanFactory().containsSingleton("leaseManager"))
                    .isFalse();
        });
    }

    @Test
    void theTableAndItsPlaceAreNamedWithoutSecrets(CapturedOutput output) {
        runner.withPropertyValues(
                        "lease.table.name=shop-leases",
                        "lease.dynamodb.endpoint=http://me:secret@localhost:8000",
                        "lease.dynamodb.access-key=mykey",
                        "lease.dynamodb.secret-key=mysecret")
                .run(context -> {
                    assertThat(lines(output))
                            .anyMatch(line -> line.startsWith("Lease manager 'default': table 'shop-leases' at"
                                    + " 'http://localhost:8000', key prefix of methods none, ttl 1 min, pauses off,"));
                    assertThat(output.getOut()).doesNotContain("secret").doesNotContain("mykey");
                });
    }

    /** The line of two pages, by a manager in memory, and its place by one that is not created. */
    @ParameterizedTest
    @ValueSource(strings = {"configuration.md", "getting-started.md"})
    void thePagesShowTheLine(String page, CapturedOutput output) throws IOException {
        String shown = shown(page);
        String place = "table 'leases' in 'eu-central-1'";
        runner.withBean(DocumentedJobs.class)
                .withPropertyValues("lease.store=in-memory", "lease.key-prefix=shop/", "lease.owner=shop@node-1/7-3fa2")
                .run(context -> assertThat(lines(output))
                        .containsExactly(shown.replace(place, "in memory, excludes no other process")));
        runner.withPropertyValues(
                        "lease.dynamodb.region=eu-central-1",
                        "lease.dynamodb.access-key=a",
                        "lease.dynamodb.secret-key=b",
                        "lease.key-prefix=shop/")
                .run(context -> assertThat(lines(output))
                        .last()
                        .asString()
                        .startsWith(shown.substring(0, shown.indexOf(", ttl"))));
    }

    private static String shown(String page) throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return Files.readString(folder.resolve("docs").resolve(page))
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("Lease manager '"))
                .findFirst()
                .orElseThrow();
    }

    static class DocumentedJobs {

        @Scheduled(cron = "0 0 3 * * *")
        @DistributedLease("nightly")
        public void nightly() {}

        @DistributedLease("call")
        public void call() {}

        @LeaderOnly("ingest")
        public void ingest() {}
    }

    @Test
    void aStoreOfTheApplicationIsNamedSo(CapturedOutput output) {
        runner.withBean(InMemoryLeaseStore.class)
                .run(context -> assertThat(lines(output))
                        .singleElement()
                        .asString()
                        .startsWith("Lease manager 'default': in a store of the application,"));
    }

    @Test
    void aManagerOfTheApplicationHasNone(CapturedOutput output) {
        runner.withBean(
                        "leaseManager",
                        LeaseManager.class,
                        () -> LeaseManager.builder(new InMemoryLeaseStore()).build())
                .run(context -> assertThat(lines(output)).isEmpty());
    }

    @Test
    void pausesAreThoseOfTheManagerWhateverThePropertySays(CapturedOutput output) {
        runner.withPropertyValues("lease.store=in-memory")
                .withBean(LeaseManagerCustomizer.class, () -> (name, builder) -> builder.pauses(true))
                .withBean(Jobs.class)
                .run(context ->
                        assertThat(lines(output)).singleElement().asString().contains(", pauses on, runs"));
    }

    @Test
    void switchedOffLeasesHaveTheirOwnLineOnly(CapturedOutput output) {
        runner.withBean(Jobs.class).withPropertyValues("lease.enabled=false").run(context -> {
            assertThat(lines(output)).isEmpty();
            assertThat(output).containsOnlyOnce("Leases are switched off by 'lease.enabled=false'");
        });
    }
}
