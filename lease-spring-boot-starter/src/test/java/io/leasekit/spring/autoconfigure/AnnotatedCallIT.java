package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.Lease;
import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.LeaseAssert;
import io.leasekit.spring.LeaseContext;
import io.leasekit.spring.LeaseUnavailableCall;
import io.leasekit.spring.LeaseUnavailableHandler;
import io.leasekit.spring.OnUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/** The requests and the effects of an annotated method in an application on DynamoDB Local. */
@Timeout(600)
class AnnotatedCallIT {

    private final String table = "calls-" + UUID.randomUUID();
    private final ConfigurableApplicationContext node = start("lease.owner=one");
    private final Orders orders = node.getBean(Orders.class);
    private final LeaseManager leases = node.getBean(LeaseManager.class);

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void theKeyIsMadeOfPrefixPlaceholderBeanAndArgument() {
        orders.process(new Order(7), () -> {
            assertThat(LeaseContext.current().key()).isEqualTo("shop/eu-acme-order-7");
            assertThat(find("shop/eu-acme-order-7").map(LeaseInfo::fencingToken))
                    .hasValue(LeaseContext.current().fencingToken());
        });
    }

    /** Reads the lease, again if a busy machine does not answer in time. */
    private Optional<LeaseInfo> find(String key) {
        return Awaitility.await()
                .ignoreExceptionsInstanceOf(LeaseStoreException.class)
                .atMost(Duration.ofMinutes(10))
                .until(() -> leases.find(key), Objects::nonNull);
    }

    @Test
    void nestedCallsJoinAndTheLeaseParameterIsFilledIn() {
        orders.process(new Order(7), () -> {
            Lease outer = LeaseContext.current().lease();
            orders.process(
                    new Order(7),
                    () -> assertThat(LeaseContext.current().lease()).isSameAs(outer));
            LeaseAssert.assertHeld();
        });
        assertThat(orders.token(null)).isPositive();
    }

    @Test
    void onAnotherNodeTheCallIsSkippedOrHandled() {
        try (ConfigurableApplicationContext other = start("lease.owner=two")) {
            Orders elsewhere = other.getBean(Orders.class);
            orders.process(new Order(7), () -> {
                assertThat(elsewhere.tryProcess(new Order(7))).isNull();
                assertThat(elsewhere.handled(new Order(7))).isEqualTo("held by one");
                assertThat(elsewhere.tryProcess(new Order(8))).isEqualTo("processed");
            });
        }
    }

    @Test
    void theMethodBeginsAfterOneRequest() throws InterruptedException {
        Requests requests = node.getBean(Requests.class);
        orders.process(new Order(0), () -> {}); // the first call reads the clock
        List<List<String>> beforeTheMethod = new ArrayList<>();
        for (int id = 1; id <= 5; id++) {
            awaitRelease(requests);
            requests.sent.clear();
            orders.process(new Order(id), () -> beforeTheMethod.add(List.copyOf(requests.sent)));
        }

        // one call is enough, because a slow machine may need a retry
        assertThat(beforeTheMethod).contains(List.of("UpdateItem"));
    }

    /** On a slow machine, a release may also be tried again in a batch, which is not awaited. */
    private static void awaitRelease(Requests requests) throws InterruptedException {
        var unused = requests.release.tryAcquire(30, TimeUnit.SECONDS);
    }

    @Test
    void theCallReturnsThoughTheReplyOfItsReleaseHasNotBeenRead() throws InterruptedException {
        Requests requests = node.getBean(Requests.class);
        List<Duration> afterTheMethod = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            AtomicLong ended = new AtomicLong();
            orders.process(new Order(id), () -> {
                requests.replies.drainPermits(); // not before: the release of another order may be in flight
                ended.set(System.nanoTime());
            });
            afterTheMethod.add(Duration.ofNanos(System.nanoTime() - ended.get()));
            awaitRelease(requests);
            requests.replies.release(100);
        }

        // each call that waited for its release would take as long as the request timeout
        assertThat(afterTheMethod).anySatisfy(time -> assertThat(time).isLessThan(Duration.ofSeconds(2)));
    }

    private ConfigurableApplicationContext start(String property) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "lease.table.name=" + table,
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s", // a busy machine may answer the first requests too late
                        "lease.key-prefix=shop/",
                        "region=eu",
                        "lease.dynamodb.endpoint=" + LocalDynamoDb.endpoint(),
                        "lease.dynamodb.region=us-east-1",
                        "lease.dynamodb.access-key=local",
                        "lease.dynamodb.secret-key=local",
                        property)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Requests.class})
    static class Application {

        @Bean
        String tenant() {
            return "acme";
        }

        @Bean
        LeaseUnavailableHandler tellsTheHolder() {
            return Application::heldBy;
        }

        private static String heldBy(LeaseUnavailableCall call) {
            return "held by " + call.unavailable().holder().orElseThrow().owner();
        }
    }

    public record Order(int id) {}

    static class Orders {

        @DistributedLease("${region}-#{@tenant}-order-#{#order.id}")
        public void process(Order order, Runnable body) {
            body.run();
        }

        @DistributedLease(key = "${region}-#{@tenant}-order-#{#order.id}", onUnavailable = OnUnavailable.SKIP)
        public @Nullable String tryProcess(Order order) {
            return "processed";
        }

        @DistributedLease(key = "${region}-#{@tenant}-order-#{#order.id}", unavailableHandler = "tellsTheHolder")
        public String handled(Order order) {
            return "processed";
        }

        @DistributedLease
        public long token(@Nullable Lease lease) {
            return lease == null ? 0 : lease.fencingToken();
        }
    }

    static class Requests implements LeaseDynamoDbClientCustomizer, ExecutionInterceptor {

        final List<String> sent = new CopyOnWriteArrayList<>();
        final Semaphore release = new Semaphore(0);
        final Semaphore replies = new Semaphore(100);

        @Override
        public void customize(DynamoDbAsyncClientBuilder builder) {
            builder.overrideConfiguration(configuration -> configuration.addExecutionInterceptor(this));
        }

        @Override
        public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
            sent.add(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME));
        }

        @Override
        public void beforeUnmarshalling(Context.BeforeUnmarshalling context, ExecutionAttributes attributes) {
            if (context.request() instanceof UpdateItemRequest update && isRelease(update)) {
                release.release();
                replies.acquireUninterruptibly();
            }
        }

        private static boolean isRelease(UpdateItemRequest update) {
            return !update.updateExpression().contains("owner")
                    && !update.expressionAttributeNames().containsValue("owner");
        }
    }
}
