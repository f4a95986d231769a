package io.leasekit.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseManagerBuilder;
import io.leasekit.LeaseQuery;
import io.leasekit.LeaseUnavailableException;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.autoconfigure.LeaseAutoConfiguration;
import io.leasekit.spring.autoconfigure.LeaseManagerCustomizer;
import io.leasekit.store.LeaseStore;
import io.leasekit.test.TestLeases;
import io.leasekit.test.TestLeasesAutoConfiguration;
import java.util.ArrayList;
import java.util.List;
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

/** Applications that share a table, as docs/operations.md describes them. */
@ExtendWith(OutputCaptureExtension.class)
class EnvironmentsTest {

    /** The work: what runs during it, and what has run. */
    private static final class Work implements Stock {
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

    private Shop start(String name, Work work, String... properties) {
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
        return application.getBean(Shop.class);
    }

    @Test
    void keysWithAPrefixExcludeNoOtherApplication() {
        Work ofOrders = new Work();
        Work ofBilling = new Work();
        Shop orders = start("orders", ofOrders);
        Shop billing = start("billing", ofBilling);

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
        Shop orders = start("orders", ofOrders);
        Shop billing = start("billing", new Work());
        Shop onPurpose = start("shipping", new Work(), "lease.key-sharing=true");

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
        Shop orders = start("orders", ofOrders);
        start("billing", new Work());
        LeaseManager ofBilling = applications.get(1).getBean(LeaseManager.class);
        List<String> seen = new ArrayList<>();

        ofOrders.during = () -> ofBilling.list(LeaseQuery.all()).leases().stream()
                .map(LeaseInfo::key)
                .forEach(seen::add);
        orders.cleanUp();

        assertThat(seen).containsExactly("orders/clean-up");
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
        Shop shop(LeaseManager leases, @Value("${lease.key-prefix}") String prefix, Stock stock) {
            return new Shop(leases, prefix, stock);
        }
    }

    interface Stock {
        void cleanUp();

        void refill(String shelf);

        void count();

        void closeBooks();
    }

    static class Shop {

        private final LeaseManager leases;
        private final String prefix;
        private final Stock stock;

        Shop(LeaseManager leases, String prefix, Stock stock) {
            this.leases = leases;
            this.prefix = prefix;
            this.stock = stock;
        }

        @DistributedLease("clean-up")
        public void cleanUp() {
            stock.cleanUp();
        }

        public void refill(String shelf) {
            leases.run(prefix + "shelf-" + shelf, () -> stock.refill(shelf));
        }

        public void takeInventory() {
            leases.run("shared/inventory", stock::count);
        }

        @DistributedLease(key = "close-books", manager = "worldwide")
        public void closeBooks() {
            stock.closeBooks();
        }
    }
}
