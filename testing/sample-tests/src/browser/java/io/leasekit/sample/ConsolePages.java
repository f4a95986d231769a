package io.leasekit.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions.ContainsTextOptions;
import com.microsoft.playwright.options.AriaRole;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.dynamodb.CheckedStore;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Nodes with the console, and the parts of its page. */
final class ConsolePages {

    static final String CONSOLE = "/actuator/leases/console";
    static final int DESKTOP = 1280;
    static final int PHONE = 390;
    static final ContainsTextOptions SLOWLY = new ContainsTextOptions().setTimeout(90_000);

    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");

    private static final Map<String, String> DEFAULTS = Map.of(
            "lease.owner",
            "node-1",
            "lease.store-timeout",
            "60s", // a busy machine may answer the first requests too late
            "sample.report.cron",
            "-",
            "sample.clean-up.initial-delay",
            "1h",
            "sample.import.cron",
            "-");

    private ConsolePages() {}

    /** Starts a node in this process with these properties. */
    static ConfigurableApplicationContext startHere(String table, String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.addAll(List.of(
                "leasekit.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                "lease.table.name=" + table,
                "server.port=0"));
        DEFAULTS.forEach((name, value) -> {
            if (all.stream().noneMatch(property -> property.startsWith(name + "="))) {
                all.add(name + "=" + value);
            }
        });
        return SpringApplication.run(
                new Class<?>[] {SampleApplication.class, Orders.class},
                all.stream().map(property -> "--" + property).toArray(String[]::new));
    }

    /** A further manager with a table of its own, which exists from its first use on. */
    @Configuration(proxyBeanMethods = false)
    static class Orders {

        @Bean(defaultCandidate = false)
        @Lazy
        CheckedStore orderStore(
                @Qualifier("leaseDynamoDbAsyncClient") DynamoDbAsyncClient client,
                @Value("orders-${lease.table.name}") String table) {
            return CheckedStore.builder()
                    .client(client)
                    .table(table)
                    .createIfMissing(true)
                    .open();
        }

        @Bean(defaultCandidate = false)
        @Lazy
        LeaseManager orders(
                @Qualifier("orderStore") LeaseStore store, ObjectProvider<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder = LeaseManager.builder(store).pauses(true);
            customizers.orderedStream().forEach(customizer -> customizer.customize("orders", builder));
            return builder.build();
        }
    }

    static String address(ConfigurableApplicationContext node) {
        return "http://127.0.0.1:" + node.getEnvironment().getProperty("local.server.port");
    }

    static String address(NodeProcess node) {
        node.awaitStart();
        var port = PORT.matcher(node.lines("started on port").get(0).text());
        assertThat(port.find()).isTrue();
        return "http://127.0.0.1:" + port.group(1);
    }

    static Locator section(Page page, String title) {
        return page.getByRole(
                AriaRole.REGION, new Page.GetByRoleOptions().setName(title).setExact(true));
    }

    /** Returns the rows with this text, of which there is usually one. */
    static Locator row(Locator part, String text) {
        return part.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText(text));
    }

    static Locator button(Locator part, String name) {
        return part.getByRole(
                AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** Selects this manager, of several. */
    static void choose(Page page, String manager) {
        // a question that is open may name a manager, too
        page.getByLabel("Manager", new Page.GetByLabelOptions().setExact(true)).selectOption(manager);
    }

    static Locator dialog(Page page) {
        return page.getByRole(AriaRole.DIALOG);
    }

    /** Returns the line that names what cannot be read. */
    static Locator failure(Page page) {
        return page.locator("#lease-console > [role=status]");
    }

    static void assertAccessible(Page page) {
        List<Rule> violations = new AxeBuilder(page).analyze().getViolations();
        assertThat(violations)
                .filteredOn(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                .extracting(rule -> rule.getId() + " " + rule.getImpact() + ": " + rule.getNodes())
                .isEmpty();
    }

    static void take(Page page, String name, boolean wholePage) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(Path.of("target", "screenshots", name + ".png"))
                .setFullPage(wholePage));
    }
}
