package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.memory.InMemoryLeaseStore;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

@ExtendWith(OutputCaptureExtension.class)
class UnknownLeasePropertiesTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(LeaseAutoConfiguration.class))
            .withBean(InMemoryLeaseStore.class);

    private List<String> warnings(CapturedOutput output, PropertySource<?>... sources) {
        StandardEnvironment environment = new StandardEnvironment();
        List.of(sources).forEach(environment.getPropertySources()::addFirst);
        ConfigurationPropertySources.attach(environment);
        new UnknownLeaseProperties(environment, new DefaultListableBeanFactory()).afterSingletonsInstantiated();
        return output.getOut()
                .lines()
                .filter(line -> line.contains("UnknownLeaseProperties"))
                .map(line -> line.substring(line.indexOf("UnknownLeaseProperties ") + 23)
                        .trim())
                .toList();
    }

    private static PropertySource<?> variables(String... names) {
        Map<String, Object> values = new LinkedHashMap<>();
        Stream.of(names).forEach(name -> values.put(name, "5"));
        return new SystemEnvironmentPropertySource("systemEnvironment", values);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease.tabel.name",
                "lease.pause.enable",
                "lease.pause-enabled.on",
                "lease.managers.orders.ttl",
                "lease.heartbeatIntervall",
                "lease.table.name.text",
                "lease.ttl[0]",
                "lease.enabeld"
            })
    void aMisspelledNameIsReportedOnceWithItsOriginAndWithoutItsValue(String name, CapturedOutput output) {
        PropertySource<?> one = new MapPropertySource("one", Map.of(name, "secret"));
        PropertySource<?> two = new MapPropertySource("two", Map.of(name, "secret"));

        assertThat(warnings(output, one, two))
                .singleElement()
                .asString()
                .startsWith("Property '")
                .endsWith("' does not exist and has no effect: \"" + name + "\" from property source \"two\"");
        assertThat(output).contains("WARN").doesNotContain("secret");
    }

    @Test
    void aFileIsNamedWithItsLine(CapturedOutput output) throws IOException {
        String yaml = "lease:\n  ttl: 30s\n  table:\n  tabel:\n    name: jobs\n";
        PropertySource<?> file = new YamlPropertySourceLoader()
                .load("file", new ByteArrayResource(yaml.getBytes(), "application.yml"))
                .get(0);

        assertThat(warnings(output, file))
                .singleElement()
                .satisfies(
                        line -> assertThat(line)
                                .matches(
                                        "Property 'lease.tabel.name' does not exist and has no effect: .*application.yml.* - 5:11"));
    }

    @Test
    void itIsDoneAtEachStart(CapturedOutput output) {
        runner.withPropertyValues("lease.tabel.name=jobs")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("Property 'lease.tabel.name' does not exist");
    }

    @Test
    void theCommandLineIsReadToo(CapturedOutput output) {
        assertThat(warnings(output, new SimpleCommandLinePropertySource("--lease.tabel.name=jobs")))
                .containsExactly("Property 'lease.tabel.name' does not exist and has no effect: \"lease.tabel.name\""
                        + " from property source \"commandLineArgs\"");
    }

    @Test
    void variablesAreNotChecked(CapturedOutput output) {
        assertThat(warnings(
                        output,
                        variables(
                                "LEASE_SERVICE_HOST",
                                "LEASE_SERVICE_PORT",
                                "LEASE_PORT",
                                "LEASE_PORT_8080_TCP",
                                "LEASE_PORT_8080_TCP_ADDR",
                                "LEASE_TABLE_SERVICE_HOST",
                                "LEASE_TABEL_NAME",
                                "LEASE_ID",
                                "LEASE_FILE",
                                "LEASE",
                                "LEASES_TTL")))
                .isEmpty();
    }

    @Test
    void eachKnownNameIsTakenInEachSpelling(CapturedOutput output) throws IOException {
        Map<String, Object> file = new LinkedHashMap<>();
        for (String name : LeaseMetadataTest.names().toList()) {
            if (name.startsWith("lease.")) {
                file.put(name, "");
                file.put(camel(name), "");
            }
        }
        file.put("lease.table.name", "leases");
        file.put("lease.owner", "me");

        assertThat(warnings(output, new MapPropertySource("file", file))).isEmpty();
    }

    private static String camel(String name) {
        StringBuilder camel = new StringBuilder();
        for (String part : name.split("-")) {
            camel.append(camel.isEmpty() ? part : part.substring(0, 1).toUpperCase(Locale.ROOT) + part.substring(1));
        }
        return camel.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease-foo.ttl",
                "leases.tabel.name",
                "myapp.lease.tabel",
                "lease",
                "management.lease.x",
                "lea.se"
            })
    void otherPrefixesAreNoneOfOurs(String name, CapturedOutput output) {
        assertThat(warnings(output, new MapPropertySource("file", Map.of(name, "5"))))
                .isEmpty();
    }

    @ConfigurationProperties("lease.billing")
    record Billing(String agency) {}

    @ConfigurationProperties(prefix = "lease.shopLeases")
    static class ShopLeases {

        private String city = "";

        public String getCity() {
            return city;
        }

        public void setCity(String city) {
            this.city = city;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Billing.class)
    static class Application {

        @Bean
        @Lazy
        ShopLeases shop() {
            throw new AssertionError("no bean is created to look for unknown names");
        }

        @Bean
        @ConfigurationProperties("lease.third-party")
        Object thirdParty() {
            return new Object();
        }
    }

    @Test
    void whatABeanOfTheApplicationBindsIsItsOwn(CapturedOutput output) {
        runner.withUserConfiguration(Application.class)
                .withPropertyValues(
                        "lease.billing.agency=a",
                        "lease.billing.other=b",
                        "lease.shop-leases.city=c",
                        "lease.third-party.url=d",
                        "lease.tabel.name=jobs",
                        "lease.bill.agency=e")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getOut().lines().filter(line -> line.contains("does not exist and has no effect")))
                .hasSize(2)
                .anyMatch(line -> line.contains("'lease.tabel.name'"))
                .anyMatch(line -> line.contains("'lease.bill.agency'"));
    }
}
