package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseRequest;
import io.leasekit.LeaseRunOutcome;
import io.leasekit.OnceOrder;
import io.leasekit.ReleaseMode;
import io.leasekit.dynamodb.PermissionCheck;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.autoconfigure.LeaseProperties.TableCreation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

class LeasePropertiesTest {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(Properties.class);
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseInMemoryAutoConfiguration.class,
                    LeaseDynamoDbAutoConfiguration.class,
                    LeaseAutoConfiguration.class));
    private @Nullable LeaseProperties unset; // one start serves hundreds of cases

    @Test
    void theDefaultsAreThose() {
        runner.run(context -> assertThat(context.getBean(LeaseProperties.class))
                .isEqualTo(new LeaseProperties(
                        true,
                        LeaseProperties.StoreKind.DYNAMODB,
                        null,
                        Duration.ofSeconds(60),
                        null,
                        null,
                        false,
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(5),
                        1_000,
                        ReleaseMode.RETAIN,
                        Duration.ofDays(7),
                        Duration.ofDays(400),
                        0,
                        null,
                        true,
                        new LeaseProperties.Aspect(Ordered.LOWEST_PRECEDENCE - 1000),
                        new LeaseProperties.Leader(null),
                        new LeaseProperties.Endpoint(true, Duration.ofSeconds(30)),
                        new LeaseProperties.Pause(false),
                        new LeaseProperties.Table("leases", TableCreation.NEVER, PermissionCheck.FAIL),
                        new LeaseProperties.DynamoDb(null, null, null, null))));
    }

    @Test
    void allAreBound() {
        runner.withPropertyValues(
                        "lease.enabled=false",
                        "lease.store=in-memory",
                        "lease.pause.enabled=true",
                        "lease.owner=node-1",
                        "lease.ttl=20s",
                        "lease.heartbeat-interval=5s",
                        "lease.key-prefix=shop-",
                        "lease.key-sharing=true",
                        "lease.store-timeout=7s",
                        "lease.close-timeout=0s",
                        "lease.max-waiters-per-key=7",
                        "lease.release-mode=delete",
                        "lease.retention=1h",
                        "lease.once-retention=90d",
                        "lease.run-history=20",
                        "lease.release-in-background=false",
                        "lease.check-before-commit=false",
                        "lease.aspect.order=7",
                        "lease.leader.stop-timeout=3s",
                        "lease.table.name=jobs",
                        "lease.table.create=if-missing",
                        "lease.table.verify=warn",
                        "lease.dynamodb.endpoint=http://localhost:8000",
                        "lease.dynamodb.region=eu-west-1",
                        "lease.dynamodb.access-key=id",
                        "lease.dynamodb.secret-key=secret")
                .run(context -> assertThat(context.getBean(LeaseProperties.class))
                        .isEqualTo(new LeaseProperties(
                                false,
                                LeaseProperties.StoreKind.IN_MEMORY,
                                "node-1",
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(5),
                                "shop-",
                                true,
                                Duration.ofSeconds(7),
                                Duration.ZERO,
                                7,
                                ReleaseMode.DELETE,
                                Duration.ofHours(1),
                                Duration.ofDays(90),
                                20,
                                false,
                                false,
                                new LeaseProperties.Aspect(7),
                                new LeaseProperties.Leader(Duration.ofSeconds(3)),
                                new LeaseProperties.Endpoint(true, Duration.ofSeconds(30)),
                                new LeaseProperties.Pause(true),
                                new LeaseProperties.Table("jobs", TableCreation.IF_MISSING, PermissionCheck.WARN),
                                new LeaseProperties.DynamoDb("http://localhost:8000", "eu-west-1", "id", "secret"))));
    }

    @Test
    void theDefaultsAreTheBuilders() {
        LeaseProperties unset =
                new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("lease", LeaseProperties.class);

        assertThat(traces(unset::applyTo)).isEqualTo(traces(builder -> {}));
    }

    /** Returns the items that leases leave at a fixed time. They show the ttl, the release mode and both retentions. */
    private static List<String> traces(Consumer<LeaseManagerBuilder> settings) {
        InMemoryLeaseStore store =
                new InMemoryLeaseStore(Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC));
        LeaseManagerBuilder builder = LeaseManager.builder(store);
        settings.accept(builder);
        try (LeaseManager manager = builder.build();
                Lease held = manager.acquire(LeaseRequest.of("held"))) {
            manager.acquire(LeaseRequest.of("released")).close();
            Lease ran = manager.acquire(LeaseRequest.of("ran").once("1", OnceOrder.GROWING));
            ran.recordRun(LeaseRunOutcome.SUCCEEDED);
            ran.close();
            assertThat(store.items()).containsOnlyKeys(held.key(), "released", "ran");
            return store.items().values().stream()
                    .map(item -> item.key() + " until " + item.expiry() + " for " + item.durationMillis())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void releasesAreInTheBackgroundUnlessSaidOtherwise() {
        assertThat(releasesInBackground()).isTrue();
        assertThat(releasesInBackground("lease.release-in-background=false")).isFalse();
    }

    @Test
    void onLambdaReleasesAreWaitedForUnlessSaidOtherwise() {
        assertThat(releasesInBackground("AWS_LAMBDA_FUNCTION_NAME=nightly")).isFalse();
        assertThat(releasesInBackground("AWS_LAMBDA_FUNCTION_NAME=nightly", "lease.release-in-background=true"))
                .isTrue();
    }

    private boolean releasesInBackground(String... properties) {
        AtomicBoolean inBackground = new AtomicBoolean();
        runner.withPropertyValues(properties)
                .run(context -> inBackground.set(context.getBean(LeaseProperties.class)
                        .settings(context.getEnvironment())
                        .releaseInBackground()));
        return inBackground.get();
    }

    @Test
    void theSecretIsNotPrinted() {
        assertThat(new LeaseProperties.DynamoDb(null, null, "id", "secret"))
                .hasToString("DynamoDb[endpoint=null, region=null, accessKey=id]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    lease.ttl=1s                           | 'lease.ttl' is '1 s', expected between 2 s and 365 d
                    lease.ttl=10                           | 'lease.ttl' is '10 ms', expected between 2 s and 365 d. A number without a unit is in ms: is the unit missing?
                    lease.leader.stop-timeout=0s           | 'lease.leader.stop-timeout' is '0 s', expected more than zero
                    lease.run-history=51                   | 'lease.run-history' is '51', expected from 0 to 50
                    lease.heartbeat-interval=31s           | 'lease.heartbeat-interval' is '31 s', expected at most half of the ttl of 1 min
                    lease.heartbeat-interval=0s            | 'lease.heartbeat-interval' is '0 s', expected more than zero
                    lease.store-timeout=0s                 | 'lease.store-timeout' is '0 s', expected more than zero
                    lease.close-timeout=-1s                | 'lease.close-timeout' is '-1 s', expected zero or more
                    lease.max-waiters-per-key=0            | 'lease.max-waiters-per-key' is '0', expected at least 1
                    lease.retention=14m                    | 'lease.retention' is '14 min', expected at least 15 min: a request applied late must still find the fencing token
                    lease.once-retention=6d                | 'lease.once-retention' is '6 d', expected at least the retention of 7 d
                    lease.owner=                           | 'lease.owner' is '', expected a text with a visible character and at most 1024 characters
                    lease.table.name=                      | 'lease.table.name' is '', expected the name of the table of leases
                    lease.table.name=arn:aws:dynamodb:eu-west-1:1:table/jobs | 'lease.table.name' is 'arn:aws:dynamodb:eu-west-1:1:table/jobs', expected the name 'jobs', because not all requests of leases take an ARN: give the client the region and credentials of the table's account
                    lease.dynamodb.endpoint=localhost:8000 | 'lease.dynamodb.endpoint' is 'localhost:8000', expected an address such as http://localhost:8000: it does not begin with 'http://' or 'https://'
                    lease.dynamodb.endpoint=htp://localhost | 'lease.dynamodb.endpoint' is 'htp://localhost', expected an address such as http://localhost:8000: it does not begin with 'http://' or 'https://'
                    lease.dynamodb.endpoint=//localhost:80 | 'lease.dynamodb.endpoint' is '//localhost:80', expected an address such as http://localhost:8000: it does not begin with 'http://' or 'https://'
                    lease.dynamodb.endpoint=http://:8000   | 'lease.dynamodb.endpoint' is 'http://:8000', expected an address such as http://localhost:8000: it has no host
                    lease.dynamodb.endpoint=http:local     | 'lease.dynamodb.endpoint' is 'http:local', expected an address such as http://localhost:8000: it has no host
                    lease.dynamodb.endpoint=http://dynamodb_local:8000 | 'lease.dynamodb.endpoint' is 'http://dynamodb_local:8000', expected an address such as http://localhost:8000: the host name in 'dynamodb_local:8000' has an underscore, which is not allowed in host names. Give the host another name, or use its IP address
                    lease.dynamodb.endpoint=http://local-:80 | 'lease.dynamodb.endpoint' is 'http://local-:80', expected an address such as http://localhost:8000: 'local-:80' is no host name with an optional port
                    lease.dynamodb.endpoint=me:secret@localhost:8000 | 'lease.dynamodb.endpoint' is 'localhost:8000', expected an address such as http://localhost:8000: it does not begin with 'http://' or 'https://'
                    lease.dynamodb.endpoint=http://me:secret@dynamodb_local:8000 | 'lease.dynamodb.endpoint' is 'http://dynamodb_local:8000', expected an address such as http://localhost:8000: the host name in 'dynamodb_local:8000' has an underscore, which is not allowed in host names. Give the host another name, or use its IP address
                    lease.dynamodb.endpoint=http://me:se@cret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: 'local:8000' is no host name with an optional port
                    lease.dynamodb.endpoint=http://me:sec^ret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://me:sec%ret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://me:sec[ret@local | 'lease.dynamodb.endpoint' is 'http://local', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://me:sec/ret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://me:12?ret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://me:sec#ret@local:8000 | 'lease.dynamodb.endpoint' is 'http://local:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.endpoint=http://[::1:8000 | 'lease.dynamodb.endpoint' is 'http://[::1:8000', expected an address such as http://localhost:8000: it is no valid URI. In a user or password, encode characters other than letters and digits, such as a space as %20 and '@' as %40
                    lease.dynamodb.access-key=id lease.dynamodb.secret-key= | 'lease.dynamodb.secret-key' is not set, expected a value, because the other part of the credentials is set
                    lease.dynamodb.access-key=id           | 'lease.dynamodb.secret-key' is not set, expected a value, because the other part of the credentials is set
                    lease.dynamodb.secret-key=secret       | 'lease.dynamodb.access-key' is not set, expected a value, because the other part of the credentials is set
                    """)
    void aBadValueStopsTheStartWithItsPropertyAndTheFix(String property, String problem) {
        runner.withPropertyValues(property.split(" "))
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("Property " + problem)
                        .asInstanceOf(InstanceOfAssertFactories.type(LeaseSetupException.class))
                        .extracting(LeaseSetupException::fix)
                        .asString()
                        .startsWith("Correct the property 'lease."));
    }

    @Test
    void noErrorShowsThePasswordOfAnAddress() {
        String property = "lease.dynamodb.endpoint";
        String password = "wJalr XUtn\\^{FEMI}\"<>";
        MapPropertySource source =
                new MapPropertySource("file", Map.of(property, "http://me:" + password + "@localhost:8000"));

        runner.withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(source))
                .run(context -> {
                    StringWriter trace = new StringWriter();
                    context.getStartupFailure().printStackTrace(new PrintWriter(trace));
                    assertThat(trace.toString())
                            .contains("Property '" + property + "' is 'http://localhost:8000', expected an address")
                            .doesNotContain("wJalr", "XUtn", "FEMI");
                });
    }

    @TestFactory
    Stream<DynamicTest> emptyTextIsUnsetOrNamed() throws IOException {
        return LeaseMetadataTest.names()
                .filter(name -> !name.startsWith("management."))
                .flatMap(name -> Stream.of(
                        name, name.toUpperCase(Locale.ROOT).replace("-", "").replace('.', '_')))
                .flatMap(name -> Stream.of("", "\t ")
                        .map(text ->
                                dynamicTest(name + " = '" + text + "'", () -> emptyTextIsUnsetOrNamed(name, text))));
    }

    @TestFactory
    Stream<DynamicTest> aGroupWithoutAnEntryIsUnset() {
        return Stream.of(
                        "lease.table",
                        "lease.dynamodb",
                        "lease.pause",
                        "lease.leader",
                        "lease.endpoint",
                        "lease.aspect")
                .map(group -> dynamicTest(group, () -> aGroupWithoutAnEntryIsUnset(group)));
    }

    private void aGroupWithoutAnEntryIsUnset(String group) throws IOException {
        StringBuilder yaml = new StringBuilder();
        String indent = "";
        for (String part : group.split("\\.")) {
            yaml.append(indent).append(part).append(":\n");
            indent += "  ";
        }
        PropertySource<?> file = new YamlPropertySourceLoader()
                .load("file", new ByteArrayResource(yaml.toString().getBytes(), "application.yml"))
                .get(0);
        for (String store : List.of("dynamodb", "in-memory")) {
            application
                    .withPropertyValues("lease.store=" + store)
                    .withInitializer(context ->
                            context.getEnvironment().getPropertySources().addFirst(file))
                    .run(context -> {
                        if (SpringBootVersion.getVersion().startsWith("3.")) { // its binder takes no group for unset
                            assertThat(context.getStartupFailure()).hasStackTraceContaining("under '" + group + "'");
                            return;
                        }
                        assertThat(context).hasNotFailed();
                        application
                                .withPropertyValues("lease.store=" + store)
                                .run(unset -> assertThat(withoutEmptyPrefix(context.getBean(LeaseProperties.class)))
                                        .isEqualTo(withoutEmptyPrefix(unset.getBean(LeaseProperties.class))));
                    });
        }
    }

    private LeaseProperties unset() {
        if (unset == null) {
            runner.run(context -> unset = context.getBean(LeaseProperties.class));
        }
        return unset;
    }

    private void emptyTextIsUnsetOrNamed(String name, String text) {
        PropertySource<?> empty = name.startsWith("LEASE")
                ? new SystemEnvironmentPropertySource("systemEnvironment", Map.of(name, text))
                : new MapPropertySource("file", Map.of(name, text));
        ApplicationContextRunner withEmpty = application.withInitializer(
                context -> context.getEnvironment().getPropertySources().addFirst(empty));
        withEmpty.run(context -> {
            Throwable failure = context.getStartupFailure();
            if (failure == null) {
                assertThat(withoutEmptyPrefix(context.getBean(LeaseProperties.class)))
                        .isEqualTo(unset());
            } else {
                assertThat(Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                                .map(Throwable::getMessage)
                                .map(String::valueOf))
                        .doesNotContain("null")
                        .anySatisfy(message -> assertThat(
                                        message.toLowerCase(Locale.ROOT).replace("-", ""))
                                .contains("'"
                                        + name.toLowerCase(Locale.ROOT)
                                                .replace('_', '.')
                                                .replace("-", "") + "'"));
            }
        });
    }

    /** Empty text is no prefix either. */
    private static LeaseProperties withoutEmptyPrefix(LeaseProperties it) {
        return new LeaseProperties(
                it.enabled(),
                it.store(),
                it.owner(),
                it.ttl(),
                it.heartbeatInterval(),
                it.keyPrefix() == null || it.keyPrefix().isEmpty() ? null : it.keyPrefix(),
                it.keySharing(),
                it.storeTimeout(),
                it.closeTimeout(),
                it.maxWaitersPerKey(),
                it.releaseMode(),
                it.retention(),
                it.onceRetention(),
                it.runHistory(),
                it.releaseInBackground(),
                it.checkBeforeCommit(),
                it.aspect(),
                it.leader(),
                it.endpoint(),
                it.pause(),
                it.table(),
                it.dynamodb());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(LeaseProperties.class)
    static class Properties {}
}
