package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.autoconfigure.TestClients.NoHttp;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.client.config.ClientAsyncConfiguration;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.client.config.SdkAdvancedAsyncClientOption;
import software.amazon.awssdk.core.client.config.SdkAdvancedClientOption;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.signer.AsyncSigner;
import software.amazon.awssdk.core.signer.Signer;
import software.amazon.awssdk.endpoints.Endpoint;
import software.amazon.awssdk.http.SdkHttpFullRequest;
import software.amazon.awssdk.identity.spi.AwsCredentialsIdentity;
import software.amazon.awssdk.identity.spi.IdentityProvider;
import software.amazon.awssdk.identity.spi.ResolveIdentityRequest;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbServiceClientConfiguration;
import software.amazon.awssdk.services.dynamodb.auth.scheme.DynamoDbAuthSchemeProvider;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointParams;
import software.amazon.awssdk.services.dynamodb.endpoints.DynamoDbEndpointProvider;

/** Closing the client for leases closes nothing that the application has made; customizers add to what was set before. */
class BorrowedTest {

    private static final ExecutionAttribute<String> ATTRIBUTE = new ExecutionAttribute<>("attribute-of-a-customizer");

    private final List<String> closed = new ArrayList<>();
    private final List<String> signed = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    @AfterEach
    void endThreads() {
        scheduler.shutdownNow();
        executor.shutdownNow();
    }

    private final class Credentials implements AwsCredentialsProvider, AutoCloseable {
        @Override
        public AwsCredentials resolveCredentials() {
            return AwsBasicCredentials.create("id", "secret");
        }

        @Override
        public void close() {
            closed.add("credentials");
        }
    }

    private final class Endpoints implements DynamoDbEndpointProvider, AutoCloseable {
        @Override
        public CompletableFuture<Endpoint> resolveEndpoint(DynamoDbEndpointParams parameters) {
            return CompletableFuture.completedFuture(
                    Endpoint.builder().url(URI.create("http://here:8000")).build());
        }

        @Override
        public void close() {
            closed.add("endpoints");
        }
    }

    private final class Publisher implements MetricPublisher {
        @Override
        public void publish(MetricCollection metrics) {}

        @Override
        public void close() {
            closed.add("publisher");
        }
    }

    private final class Interceptor implements ExecutionInterceptor, AutoCloseable {
        @Override
        public void close() {
            closed.add("interceptor");
        }
    }

    @Test
    void whatTheApplicationsClientHasStaysOpen() {
        Endpoints endpoints = new Endpoints();
        Credentials credentials = new Credentials();
        DynamoDbClient theirs = DynamoDbClient.builder()
                .region(Region.US_EAST_1)
                .credentialsProvider(credentials)
                .endpointProvider(endpoints)
                .overrideConfiguration(o -> o.addMetricPublisher(new Publisher()))
                .build();
        UserClientSettings settings = UserClientSettings.of("theirs", theirs, theirs.serviceClientConfiguration());
        DynamoDbAsyncClient client = new LeaseDynamoDbClientFactory(
                        LeaseClientConnection.of(theirs.serviceClientConfiguration()),
                        settings,
                        List.of(builder -> builder.httpClientBuilder(new NoHttp())))
                .create();

        assertThat(client.serviceClientConfiguration()
                        .credentialsProvider()
                        .resolveIdentity()
                        .join()
                        .accessKeyId())
                .isEqualTo("id");
        client.close();

        assertThat(closed).isEmpty();
    }

    @Test
    void whatACustomizerPassesStaysOpen() {
        TestClients.runner(new NoHttp())
                .withPropertyValues("lease.dynamodb.region=us-east-1")
                .withBean(
                        "customizer",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.credentialsProvider(new Credentials())
                                .endpointProvider(new Endpoints())
                                .asyncConfiguration(a -> a.advancedOption(
                                        SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR,
                                        (Executor) executor::execute))
                                .overrideConfiguration(o -> o.addMetricPublisher(new Publisher())
                                        .addExecutionInterceptor(new Interceptor())
                                        .scheduledExecutorService(scheduler)))
                .run(context -> context.getBean(CLIENT, DynamoDbAsyncClient.class));

        assertThat(closed).isEmpty();
        assertThat(scheduler.isShutdown()).isFalse();
        assertThat(executor.isShutdown()).isFalse();
    }

    /** Other settings that may be beans, and other ways to pass them. */
    @Test
    void whateverACustomizerPassesAndHoweverStaysOpen() {
        DynamoDbAuthSchemeProvider schemes = authSchemes();
        ClientAsyncConfiguration completion = ClientAsyncConfiguration.builder()
                .advancedOption(SdkAdvancedAsyncClientOption.FUTURE_COMPLETION_EXECUTOR, executor)
                .build();
        ClientOverrideConfiguration override = ClientOverrideConfiguration.builder()
                .scheduledExecutorService(scheduler)
                .addMetricPublisher(new Publisher())
                .build();
        for (LeaseDynamoDbClientCustomizer customizer : List.<LeaseDynamoDbClientCustomizer>of(
                builder -> builder.asyncConfiguration(completion),
                builder -> builder.overrideConfiguration(override),
                builder -> builder.authSchemeProvider(schemes),
                builder -> builder.overrideConfiguration(o -> o.defaultProfileFileSupplier(new Profiles())),
                builder -> builder.addPlugin(client -> {
                    var configuration = (DynamoDbServiceClientConfiguration.Builder) client;
                    configuration.credentialsProvider(new Credentials()).authSchemeProvider(schemes);
                }),
                builder -> builder.region(Region.US_EAST_2)
                        .credentialsProvider((IdentityProvider<AwsCredentialsIdentity>) new Identities()))) {
            TestClients.runner(new NoHttp())
                    .withPropertyValues(
                            "lease.dynamodb.region=us-east-1",
                            "lease.dynamodb.access-key=id",
                            "lease.dynamodb.secret-key=secret")
                    .withBean("customizer", LeaseDynamoDbClientCustomizer.class, () -> customizer)
                    .run(context -> context.getBean(CLIENT, DynamoDbAsyncClient.class));
        }

        assertThat(closed).isEmpty();
        assertThat(scheduler.isShutdown()).isFalse();
        assertThat(executor.isShutdown()).isFalse();
    }

    private final class Profiles implements Supplier<ProfileFile>, AutoCloseable {
        @Override
        public ProfileFile get() {
            return ProfileFile.aggregator().build();
        }

        @Override
        public void close() {
            closed.add("profiles");
        }
    }

    private class OfRequests implements Signer, AutoCloseable {
        @Override
        public SdkHttpFullRequest sign(SdkHttpFullRequest request, ExecutionAttributes attributes) {
            signed.add("request");
            return request;
        }

        @Override
        public void close() {
            closed.add("signer");
        }
    }

    private final class OfBodies extends OfRequests implements AsyncSigner {
        @Override
        public CompletableFuture<SdkHttpFullRequest> sign(
                SdkHttpFullRequest request, AsyncRequestBody body, ExecutionAttributes attributes) {
            signed.add("body");
            return CompletableFuture.completedFuture(request);
        }
    }

    /** Signers of the older form, which the SDK also closes; it must call the method that each of them has. */
    @Test
    void signersStayOpenAndSign() {
        for (Signer signer : List.of(new OfRequests(), new OfBodies())) {
            TestClients.runner(new NoHttp())
                    .withPropertyValues(
                            "lease.dynamodb.region=us-east-1",
                            "lease.dynamodb.access-key=id",
                            "lease.dynamodb.secret-key=secret")
                    .withBean(
                            "customizer",
                            LeaseDynamoDbClientCustomizer.class,
                            () -> builder -> builder.overrideConfiguration(o -> o.putHeader("X-Gateway", "a")
                                    .putAdvancedOption(SdkAdvancedClientOption.SIGNER, signer)
                                    .putAdvancedOption(SdkAdvancedClientOption.TOKEN_SIGNER, signer)))
                    .run(context -> {
                        DynamoDbAsyncClient client = context.getBean(CLIENT, DynamoDbAsyncClient.class);
                        assertThat(client.serviceClientConfiguration()
                                        .overrideConfiguration()
                                        .headers())
                                .containsKey("X-Gateway");
                        client.listTables();
                        Awaitility.await()
                                .atMost(Duration.ofMinutes(10))
                                .until(() -> signed.contains(signer instanceof AsyncSigner ? "body" : "request"));
                    });
        }

        assertThat(signed).containsExactly("request", "body");
        assertThat(closed).isEmpty();
    }

    private final class Identities implements IdentityProvider<AwsCredentialsIdentity>, AutoCloseable {
        @Override
        public Class<AwsCredentialsIdentity> identityType() {
            return AwsCredentialsIdentity.class;
        }

        @Override
        public CompletableFuture<AwsCredentialsIdentity> resolveIdentity(ResolveIdentityRequest request) {
            return CompletableFuture.completedFuture(AwsBasicCredentials.create("id", "secret"));
        }

        @Override
        public void close() {
            closed.add("identities");
        }
    }

    /** A proxy, because the type of the result is in a library that the tests do not name. */
    private DynamoDbAuthSchemeProvider authSchemes() {
        return (DynamoDbAuthSchemeProvider) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DynamoDbAuthSchemeProvider.class, AutoCloseable.class},
                (proxy, method, arguments) -> method.getName().equals("close")
                        ? closed.add("schemes")
                        : method.invoke(DynamoDbAuthSchemeProvider.defaultProvider(), arguments));
    }

    @Test
    void eachFormOfACustomizerKeepsWhatWasSetBefore() {
        for (LeaseDynamoDbClientCustomizer second : List.<LeaseDynamoDbClientCustomizer>of(
                builder -> builder.overrideConfiguration(o -> o.headers(Map.of("X-Second", List.of("2")))),
                builder -> builder.overrideConfiguration(o -> o.metricPublishers(List.of(new Publisher()))),
                builder -> builder.overrideConfiguration(o -> o.executionInterceptors(List.of(new Interceptor()))),
                builder -> builder.overrideConfiguration(
                        ClientOverrideConfiguration.builder().build()),
                builder -> builder.overrideConfiguration(
                        builder.overrideConfiguration().copy(o -> o.apiCallTimeout(Duration.ofSeconds(9)))),
                builder -> {
                    builder.overrideConfiguration(o -> o.putHeader("X-Third", "3"));
                    builder.overrideConfiguration(o -> o.apiCallTimeout(Duration.ofSeconds(9)));
                })) {
            Publisher publisher = new Publisher();
            Interceptor interceptor = new Interceptor();
            TestClients.runner(new NoHttp())
                    .withPropertyValues("lease.dynamodb.region=us-east-1")
                    .withBean(
                            "first",
                            LeaseDynamoDbClientCustomizer.class,
                            () -> builder -> builder.overrideConfiguration(o -> o.putHeader("X-Gateway", "a")
                                    .addMetricPublisher(publisher)
                                    .addExecutionInterceptor(interceptor)
                                    .apiCallAttemptTimeout(Duration.ofSeconds(1))
                                    .putExecutionAttribute(ATTRIBUTE, "kept")))
                    .withBean("second", LeaseDynamoDbClientCustomizer.class, () -> second)
                    .run(context -> {
                        ClientOverrideConfiguration all = context.getBean(CLIENT, DynamoDbAsyncClient.class)
                                .serviceClientConfiguration()
                                .overrideConfiguration();
                        assertThat(all.headers()).containsEntry("X-Gateway", List.of("a"));
                        assertThat(all.metricPublishers()).contains(publisher);
                        assertThat(all.executionInterceptors()).containsOnlyOnce(interceptor);
                        assertThat(all.apiCallAttemptTimeout()).hasValue(Duration.ofSeconds(1));
                        assertThat(all.executionAttributes().getAttribute(ATTRIBUTE))
                                .isEqualTo("kept");
                    });
        }
    }

    @Test
    void customizersAdd() {
        Publisher theirs = new Publisher();
        Publisher more = new Publisher();
        Interceptor interceptor = new Interceptor();
        TestClients.runner(new NoHttp())
                .withBean(
                        "theirs",
                        DynamoDbClient.class,
                        () -> DynamoDbClient.builder()
                                .region(Region.US_EAST_1)
                                .credentialsProvider(new Credentials())
                                .overrideConfiguration(o -> o.putHeader("X-Gateway", "a")
                                        .putHeader("X-Team", "b")
                                        .addMetricPublisher(theirs)
                                        .appId("shop"))
                                .build())
                .withBean(
                        "first",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.overrideConfiguration(o ->
                                o.addExecutionInterceptor(interceptor).apiCallAttemptTimeout(Duration.ofSeconds(1))))
                .withBean(
                        "second",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.region(Region.US_EAST_2)
                                .overrideConfiguration(ClientOverrideConfiguration.builder()
                                        .putHeader("x-team", "c")
                                        .addMetricPublisher(more)
                                        .build()))
                .run(context -> {
                    DynamoDbAsyncClient client = context.getBean(CLIENT, DynamoDbAsyncClient.class);
                    ClientOverrideConfiguration all =
                            client.serviceClientConfiguration().overrideConfiguration();
                    assertThat(client.serviceClientConfiguration().region()).isEqualTo(Region.US_EAST_2);
                    assertThat(all.headers())
                            .containsAllEntriesOf(Map.of("X-Gateway", List.of("a"), "X-Team", List.of("c")));
                    assertThat(all.metricPublishers()).containsExactly(theirs, more);
                    assertThat(all.executionInterceptors()).contains(interceptor);
                    assertThat(all.apiCallAttemptTimeout()).hasValue(Duration.ofSeconds(1));
                    assertThat(all.appId()).hasValue("shop");
                });
    }
}
