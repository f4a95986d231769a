package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesAutoConfiguration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The statements of docs/environments.md: two applications on one table, the policy, and the cost. */
@ExtendWith(OutputCaptureExtension.class)
class EnvironmentsExamplesTest {

    private static final Path PAGE = DocumentPages.DOCS.resolve("environments.md");
    private static final Path PERFORMANCE = DocumentPages.DOCS.resolve("performance.md");
    private static final Path POLICY = DocumentPages.DOCS.resolve("leases-iam-policy.json");
    private static final Pattern ROW = Pattern.compile("(?m)^\\|[^|]+\\|([^|]*)\\| ([0-9.]+) \\|$");

    /** The work of the examples: what runs during it, and what has run. */
    private static final class Work implements EnvironmentsExamples.Stock {
        private final List<String> done = new ArrayList<>();
        private Runnable during = () -> {};

        private void work(String name) {
            Runnable now = during;
            during = () -> {};
            now.run();
            done.add(name);
        }

        @Override
        public void cleanUp() {
            work("clean-up");
        }

        @Override
        public void refill(String shelf) {
            work("shelf-" + shelf);
        }

        @Override
        public void count() {
            work("inventory");
        }

        @Override
        public void closeBooks() {
            work("close-books");
        }
    }

    private final TestLeases leases = TestLeases.create();
    private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

    @AfterEach
    void closeTheApplications() {
        applications.forEach(ConfigurableApplicationContext::close);
    }

    private EnvironmentsExamples start(String name, Work work, String... properties) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .profiles("aws") // the table is in memory, so no local database is started
                .properties("lease.key-prefix=" + name + "/", "lease.close-timeout=1ms")
                .properties(properties)
                .initializers(context -> {
                    context.getBeanFactory().registerSingleton("leases", leases);
                    context.getBeanFactory().registerSingleton("stock", work);
                })
                .run("--spring.application.name=" + name); // instead of that of the sample
        applications.add(application);
        return application.getBean(EnvironmentsExamples.class);
    }

    @Test
    void keysWithAPrefixExcludeNoOtherApplication() {
        Work ofOrders = new Work();
        Work ofBilling = new Work();
        EnvironmentsExamples orders = start("orders", ofOrders);
        EnvironmentsExamples billing = start("billing", ofBilling);

        ofOrders.during = billing::cleanUp;
        orders.cleanUp();
        ofOrders.during = () -> billing.refill("7");
        orders.refill("7");
        ofOrders.during = billing::closeBooks;
        orders.closeBooks();

        assertThat(ofOrders.done).containsExactly("clean-up", "shelf-7", "close-books");
        assertThat(ofBilling.done).containsExactly("clean-up", "shelf-7", "close-books");
        assertThat(List.of("clean-up", "shelf-7", "close-books"))
                .allSatisfy(key ->
                        assertThat(leases.manager().find("orders/" + key)).isPresent())
                .allSatisfy(key ->
                        assertThat(leases.manager().find("billing/" + key)).isPresent())
                .allSatisfy(key -> assertThat(leases.manager().find(key)).isEmpty());
    }

    @Test
    void aSharedKeyExcludesTheOtherApplicationWithAWarningUnlessItIsSharedOnPurpose(CapturedOutput output) {
        Work ofOrders = new Work();
        EnvironmentsExamples orders = start("orders", ofOrders);
        EnvironmentsExamples billing = start("billing", new Work());
        EnvironmentsExamples onPurpose = start("shipping", new Work(), "lease.key-sharing=true");

        ofOrders.during = () -> {
            assertThatThrownBy(onPurpose::takeInventory).isInstanceOf(LeaseUnavailableException.class);
            assertThat(output).doesNotContain("lease.key-sharing");
            assertThatThrownBy(billing::takeInventory).isInstanceOf(LeaseUnavailableException.class);
        };
        orders.takeInventory();

        assertThat(ofOrders.done).containsExactly("inventory");
        assertThat(output).contains("'shared/inventory' is held by application 'orders'", "lease.key-sharing");
    }

    @Test
    void aListShowsTheKeysOfAllApplications() {
        Work ofOrders = new Work();
        EnvironmentsExamples orders = start("orders", ofOrders);
        start("billing", new Work());
        LeaseManager ofBilling = applications.get(1).getBean(LeaseManager.class);
        List<String> seen = new ArrayList<>();

        ofOrders.during = () -> ofBilling.list(LeaseQuery.all()).leases().stream()
                .map(LeaseInfo::key)
                .forEach(seen::add);
        orders.cleanUp();

        assertThat(seen).containsExactly("orders/clean-up");
    }

    @Test
    void thePolicyIsAPartOfTheWholePolicy() {
        List<Map<String, Object>> whole = JsonPath.read(DocumentPages.read(POLICY), "$.Statement[*]");
        List<String> allowed = whole.stream()
                .flatMap(EnvironmentsExamplesTest::allowed)
                .map(text -> text.replace("my-application/", "orders/"))
                .toList();

        assertThat(statements())
                .allSatisfy(statement ->
                        assertThat(YamlBlocks.at(statement, "Resource")).isEqualTo("!Ref Table"))
                .allSatisfy(statement ->
                        assertThat(YamlBlocks.at(statement, "Effect")).isEqualTo("Allow"));
        assertThat(statements().stream().flatMap(EnvironmentsExamplesTest::allowed))
                .isSubsetOf(allowed)
                .contains(
                        "dynamodb:UpdateItem of [orders/*]",
                        "dynamodb:GetItem of [orders/*]",
                        "dynamodb:PartiQLUpdate of [orders/*]",
                        "dynamodb:GetItem of [leasekit-time]",
                        "dynamodb:DescribeTable of []",
                        "dynamodb:DescribeTimeToLive of []");
    }

    private static List<?> statements() {
        return (List<?>) YamlBlocks.at(
                YamlBlocks.of(PAGE).get(1), "Resources", "LeasesOfOrders", "Properties", "PolicyDocument", "Statement");
    }

    /** Returns the actions that a statement allows, with the keys. */
    private static Stream<String> allowed(Object statement) {
        boolean hasKeys = ((Map<?, ?>) statement).containsKey("Condition");
        List<?> keys = hasKeys
                ? List.copyOf((List<?>)
                        YamlBlocks.at(statement, "Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"))
                : List.of();
        return ((List<?>) YamlBlocks.at(statement, "Action")).stream().map(action -> action + " of " + keys);
    }

    @Test
    void theCostIsThatOfTheFormulaAndTheFiguresOfThePerformancePage() {
        double jobs = performance("20 jobs a minute on 2 nodes: [^|]+\\| ([0-9.]+) million writes");
        double leader = performance("\\+\\s+([0-9,]+) for each lease that is held all the time") / 1e6;
        double waiting = performance("for one key, in one process \\| ([0-9.]+) million reads");
        double write = performance("\\$([0-9.]+) per million write\\s+units");
        double read = performance("\\$([0-9.]+) per million read\\s+units");
        double all = jobs * write + leader * write + waiting * read;

        assertThat(rows())
                .containsExactly(
                        row(jobs, "writes", jobs * write),
                        row(leader, "writes", leader * write),
                        row(waiting, "reads", waiting * read),
                        String.format(Locale.ROOT, "|%.2f", all),
                        String.format(Locale.ROOT, "|%.2f", 3 * all));
    }

    private static double performance(String pattern) {
        MatchResult match = Pattern.compile(pattern)
                .matcher(DocumentPages.read(PERFORMANCE))
                .results()
                .findFirst()
                .orElseThrow();
        return Double.parseDouble(match.group(1).replace(",", ""));
    }

    private static List<String> rows() {
        return ROW.matcher(DocumentPages.read(PAGE))
                .results()
                .map(row -> row.group(1).strip() + "|" + row.group(2))
                .toList();
    }

    private static String row(double millions, String units, double dollars) {
        return String.format(Locale.ROOT, "%.2f %s|%.2f", millions, units, dollars);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({TestLeasesAutoConfiguration.class, LeaseAutoConfiguration.class})
    static class Application {

        @Bean(defaultCandidate = false)
        LeaseManager worldwide(LeaseStore store, List<LeaseManagerCustomizer> customizers) {
            LeaseManagerBuilder builder = LeaseManager.builder(store);
            customizers.forEach(customizer -> customizer.customize("worldwide", builder));
            return builder.build();
        }

        @Bean
        EnvironmentsExamples examples(
                LeaseManager leases, @Value("${lease.key-prefix}") String prefix, EnvironmentsExamples.Stock stock) {
            return new EnvironmentsExamples(leases, prefix, stock);
        }
    }
}
