package io.leasekit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasekit.LeaseInfo;
import io.leasekit.LeaseManager;
import io.leasekit.LeaseStoreException;
import io.leasekit.dynamodb.local.DynamoDbLocalProcess;
import io.leasekit.dynamodb.local.LocalDynamoDb;
import io.leasekit.spring.DistributedLease;
import io.leasekit.spring.aop.LeasedBeans;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClientBuilder;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

@Tag("boot3")
@ExtendWith(OutputCaptureExtension.class)
class LeaseStarterIT {

    private final String table = "starter-" + UUID.randomUUID();

    @Test
    void twoNodesExcludeEachOtherAndTheTableShowsWho() throws Exception {
        try (ConfigurableApplicationContext one = start(Application.class, "lease.owner=one");
                ConfigurableApplicationContext two = start(Application.class, "lease.owner=two")) {
            LeaseManager seenByTwo = two.getBean(LeaseManager.class);

            one.getBean(Jobs.class).run(() -> {
                assertThat(LeasedBeans.isFree(seenByTwo, "job")).isFalse();
                Awaitility.await() // a busy machine may not answer a read in time
                        .ignoreExceptionsInstanceOf(LeaseStoreException.class)
                        .atMost(Duration.ofMinutes(10))
                        .untilAsserted(() -> assertThat(seenByTwo.find("job"))
                                .map(LeaseInfo::owner)
                                .hasValue("one"));
            });
        }
    }

    @Test
    void anAnnotatedCallIsTwoWritesAndTheFirstOneAReadForTheClock() {
        List<String> expected = List.of("GetItem", "UpdateItem", "UpdateItem", "UpdateItem", "UpdateItem");
        List<List<String>> sent = new ArrayList<>();
        do {
            sent.add(requestsOfTwoCalls());
        } while (!sent.contains(expected) && sent.size() < 3);

        // one node is enough, because a slow machine may need a retry
        assertThat(sent).contains(expected);
    }

    private List<String> requestsOfTwoCalls() {
        Requests requests;
        try (ConfigurableApplicationContext node = start(Counted.class, "lease.release-in-background=false")) {
            requests = node.getBean(Requests.class);
            requests.sent.clear(); // requests of the table check
            node.getBean(Jobs.class).run(() -> {});
            node.getBean(Jobs.class).run(() -> {});
        }
        return requests.sent;
    }

    @Test
    void theSchedulersThreadRunsTheMethodUnderItsLease() throws Exception {
        try (ConfigurableApplicationContext node = start(Scheduler.class)) {
            Ticks ticks = node.getBean(Ticks.class);
            assertThat(ticks.awaitStart()).isTrue();
            assertThat(LeasedBeans.isFree(node.getBean(LeaseManager.class), "tick"))
                    .isFalse();
            ticks.end();
        }
    }

    @Test
    void theConnectionIsTakenFromTheApplicationsClient() {
        try (ConfigurableApplicationContext node = start(WithClient.class)) {
            assertThat(LeasedBeans.isFree(node.getBean(LeaseManager.class), "key"))
                    .isTrue();
        }
    }

    @Test
    void anAbsentTableStopsTheStartWithTheFix(CapturedOutput output) {
        assertThat(startFailure("lease.table.create=never")).isNotNull();
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(table)
                .contains("if-missing");
    }

    @Test
    void aMissingPermissionStopsTheStartOrIsAWarning(CapturedOutput output) {
        String missing =
                "Permission 'dynamodb:UpdateItem' is missing for key 'shop/#permissions' in table '" + table + "'";

        assertThatThrownBy(() -> start(Denied.class, "lease.key-prefix=shop/"))
                .rootCause()
                .isInstanceOf(DynamoDbException.class);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", missing, "set 'lease.table.verify' to 'warn' or 'off'");

        start(Denied.class, "lease.key-prefix=shop/", "lease.table.verify=warn").close();
        assertThat(output).containsPattern("WARN .*" + Pattern.quote(missing) + ".* calls that need a lease may fail");
    }

    @Test
    void anUnreachableDynamoDbIsAWarningAndTheApplicationStarts(CapturedOutput output) {
        try (ConfigurableApplicationContext node =
                start(Application.class, "lease.dynamodb.endpoint=http://127.0.0.1:1")) {
            assertThat(node.isRunning()).isTrue();
            assertThat(output).contains("WARN").contains("'" + table + "'");
        }
    }

    @Tag("full")
    @Test
    void aTableIsCreatedWhenDynamoDbComesBackAfterTheStart(CapturedOutput output) throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (ConfigurableApplicationContext node =
                start(Application.class, "lease.dynamodb.endpoint=http://127.0.0.1:" + port)) {
            assertThat(output).contains("could not be checked");

            DynamoDbLocalProcess.startDetached(port, Duration.ofSeconds(20));

            Semaphore ran = new Semaphore(0);
            node.getBean(Jobs.class).run(ran::release);
            assertThat(ran.tryAcquire()).isTrue();
            assertThat(output).contains("has been checked, and leases can be acquired");
        }
    }

    @Test
    void aJobThatEndsInTimeLeavesNoLeaseBehindAtShutdown() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        ConfigurableApplicationContext node = start(Application.class);
        Jobs jobs = node.getBean(Jobs.class);
        Thread job = new Thread(() -> jobs.run(() -> {
            started.countDown();
            awaitClosing(node);
        }));
        job.start();
        assertThat(started.await(10, TimeUnit.MINUTES)).isTrue();

        node.close();
        job.join(600_000);

        try (ConfigurableApplicationContext other = start(Application.class)) {
            assertThat(LeasedBeans.isFree(other.getBean(LeaseManager.class), "job"))
                    .isTrue();
        }
    }

    private static void awaitClosing(ConfigurableApplicationContext node) {
        while (!node.isClosed()) {
            Thread.onSpinWait();
        }
    }

    private Throwable startFailure(String property) {
        try (ConfigurableApplicationContext node = start(Application.class, property)) {
            throw new AssertionError("Started " + node);
        } catch (RuntimeException e) {
            return e;
        }
    }

    private ConfigurableApplicationContext start(Class<?> application, String... properties) {
        URI endpoint = LocalDynamoDb.endpoint();
        SpringApplicationBuilder builder = new SpringApplicationBuilder(application)
                .properties(
                        "lease.table.name=" + table,
                        "lease.table.create=if-missing",
                        "lease.store-timeout=60s"); // a busy machine may answer the first requests too late
        if (application != WithClient.class) {
            builder.properties(
                    "lease.dynamodb.endpoint=" + endpoint,
                    "lease.dynamodb.region=us-east-1",
                    "lease.dynamodb.access-key=local",
                    "lease.dynamodb.secret-key=local");
        }
        return builder.properties(properties).run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Jobs.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Jobs.class, Requests.class})
    static class Counted {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Jobs.class, Denial.class})
    static class Denied {}

    /** Denies updates, as IAM does. */
    static class Denial implements LeaseDynamoDbClientCustomizer, ExecutionInterceptor {

        @Override
        public void customize(DynamoDbAsyncClientBuilder builder) {
            builder.overrideConfiguration(
                    builder.overrideConfiguration().copy(configuration -> configuration.addExecutionInterceptor(this)));
        }

        @Override
        public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
            if (context.request() instanceof UpdateItemRequest) {
                throw DynamoDbException.builder()
                        .statusCode(400)
                        .awsErrorDetails(AwsErrorDetails.builder()
                                .errorCode("AccessDeniedException")
                                .errorMessage("User is not authorized to perform: dynamodb:UpdateItem")
                                .sdkHttpResponse(SdkHttpResponse.builder()
                                        .statusCode(400)
                                        .putHeader("x-amzn-RequestId", "1")
                                        .build())
                                .build())
                        .build();
            }
        }
    }

    static class Requests implements LeaseDynamoDbClientCustomizer, ExecutionInterceptor {

        final List<String> sent = new CopyOnWriteArrayList<>();

        @Override
        public void customize(DynamoDbAsyncClientBuilder builder) {
            builder.overrideConfiguration(configuration -> configuration.addExecutionInterceptor(this));
        }

        @Override
        public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
            sent.add(attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableScheduling
    @Import(Ticks.class)
    static class Scheduler {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithClient {

        @Bean
        DynamoDbClient dynamoDbClient() {
            return DynamoDbClient.builder()
                    .endpointOverride(LocalDynamoDb.endpoint())
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                    .build();
        }
    }

    static class Jobs {

        @DistributedLease("job")
        public void run(Runnable body) {
            body.run();
        }
    }

    static class Ticks {

        private final CountDownLatch started = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);

        @DistributedLease("tick")
        @Scheduled(fixedDelay = 1_000)
        void tick() throws InterruptedException {
            started.countDown();
            end.await();
        }

        boolean awaitStart() throws InterruptedException {
            return started.await(10, TimeUnit.MINUTES);
        }

        void end() {
            end.countDown();
        }
    }
}
