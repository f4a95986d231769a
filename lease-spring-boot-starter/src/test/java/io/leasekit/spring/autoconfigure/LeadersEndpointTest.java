package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.leasekit.Lease;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseRequest;
import io.leasekit.memory.InMemoryLeaseStore;
import io.leasekit.spring.LeaderOnly;
import io.leasekit.spring.leader.LeaderElections;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The view of the elections as an operator sees it, on any version of Spring Boot. */
@Timeout(600)
class LeadersEndpointTest {

    private final InMemoryLeaseStore table = new InMemoryLeaseStore();
    private final LeaseManager others = LeaseManager.builder(table)
            .owner("there")
            .closeTimeout(Duration.ZERO)
            .build();
    private ConfigurableApplicationContext node;

    private void start(Class<?> application, String... properties) {
        node = new SpringApplicationBuilder(application)
                .initializers(
                        context -> context.getBeanFactory().registerSingleton("table", table),
                        new FurtherManager("orders"))
                .properties(ActuatorMBeans.PROPERTIES)
                .properties("lease.owner=here", "lease.key-prefix=own/", "lease.close-timeout=0s")
                .properties(properties)
                .run();
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.getBeansOfType(Ingest.class).values().forEach(Ingest::letReturn);
            node.close();
        }
        others.close();
    }

    private static List<?> leaders() throws Exception {
        Map<?, ?> view = (Map<?, ?>) ActuatorMBeans.call("leases", "view", Map.of("view", "leaders"));
        return (List<?>) view.get("leaders");
    }

    private static Map<?, ?> leader() throws Exception {
        return (Map<?, ?>) leaders().get(0);
    }

    private static void awaitLeader(String name, Object value) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .untilAsserted(() -> assertThat(leader()).asInstanceOf(MAP).containsEntry(name, value));
    }

    @Test
    void aNodeThatLeadsAndSinceWhen() throws Exception {
        start(WithLeader.class);
        awaitLeader("leads", true);

        assertThat(leader())
                .asInstanceOf(MAP)
                .containsEntry("method", Ingest.class.getName() + ".run")
                .containsEntry("manager", "leaseManager")
                .containsEntry("key", "own/ingest")
                .containsEntry("stuck", false)
                .doesNotContainKey("stoppingFor")
                .hasEntrySatisfying(
                        "leader",
                        leader -> assertThat(leader)
                                .asInstanceOf(MAP)
                                .containsEntry("owner", "here")
                                .containsKeys("since", "fencingToken"));
    }

    @Test
    void anElectionOfAnotherManagerNamesIt() throws Exception {
        start(WithLeaderOfOrders.class);

        assertThat(leader()).asInstanceOf(MAP).containsEntry("manager", "orders");
    }

    @Test
    void aNodeOnWhichAnotherLeads() throws Exception {
        try (Lease led = others.acquire(LeaseRequest.of("own/ingest"))) {
            start(WithLeader.class);

            assertThat(leader())
                    .asInstanceOf(MAP)
                    .containsEntry("leads", false)
                    .hasEntrySatisfying(
                            "leader",
                            leader -> assertThat(leader)
                                    .asInstanceOf(MAP)
                                    .containsEntry("owner", "there")
                                    .containsEntry("fencingToken", led.fencingToken())
                                    .containsKey("since"));
        }
    }

    @Test
    void aLeaderThatIgnoresItsStopIsStuck() throws Exception {
        start(WithLeader.class, "lease.leader.stop-timeout=100ms");
        node.getBean(Ingest.class).awaitBegin(); // a resignation before that would end the term without the work
        node.getBean(LeaderElections.class).elections().values().forEach(election -> election.resign());

        awaitLeader("stuck", true);
        assertThat(leader()).asInstanceOf(MAP).containsEntry("leads", false).containsKeys("stoppingFor", "leader");
    }

    @Test
    void keysCanBeHidden() throws Exception {
        start(WithLeader.class, "lease.endpoint.show-keys=false");

        assertThat(leader()).asInstanceOf(MAP).containsEntry("key", "******");
    }

    @Test
    void withoutLeadersItIsEmpty() throws Exception {
        start(Application.class);

        assertThat(leaders()).isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @Import({Application.class, Ingest.class})
    static class WithLeader {}

    @Configuration(proxyBeanMethods = false)
    @Import({Application.class, OrdersIngest.class})
    static class WithLeaderOfOrders {}

    static class OrdersIngest {

        @LeaderOnly(key = "ingest", manager = "orders")
        public void run() {}
    }

    /** Ignores its stop. */
    static class Ingest {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch mayReturn = new CountDownLatch(1);

        public void awaitBegin() throws InterruptedException {
            begun.await();
        }

        public void letReturn() {
            mayReturn.countDown();
        }

        @LeaderOnly("ingest")
        public void run() {
            begun.countDown();
            while (mayReturn.getCount() > 0) {
                try {
                    mayReturn.await();
                } catch (InterruptedException e) {
                    // stuck
                }
            }
        }
    }
}
