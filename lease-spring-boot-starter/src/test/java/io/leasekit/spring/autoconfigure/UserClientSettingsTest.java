package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.leasekit.spring.autoconfigure.TestClients.NoHttp;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsAsyncClientBuilder;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.awscore.endpoints.AccountIdEndpointMode;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.ProxyConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.metrics.MetricCollection;
import software.amazon.awssdk.metrics.MetricPublisher;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbBaseClientBuilder;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The settings of the application's client that the client for leases takes over. */
@ExtendWith(OutputCaptureExtension.class)
class UserClientSettingsTest {

    private final Counting counting = new Counting();

    private void runWithSync(
            Consumer<DynamoDbBaseClientBuilder<?, ?>> settings, Consumer<AssertableApplicationContext> test) {
        TestClients.runner(new NoHttp())
                .withBean("theirs", DynamoDbClient.class, () -> {
                    var builder = DynamoDbClient.builder();
                    configure(builder);
                    settings.accept(builder);
                    return builder.build();
                })
                .run(test::accept);
    }

    private void runWithAsync(
            Consumer<DynamoDbBaseClientBuilder<?, ?>> settings, Consumer<AssertableApplicationContext> test) {
        TestClients.runner(new NoHttp())
                .withBean("theirs", DynamoDbAsyncClient.class, () -> {
                    var builder = DynamoDbAsyncClient.builder().httpClientBuilder(new NoHttp());
                    configure(builder);
                    settings.accept(builder);
                    return builder.build();
                })
                .run(test::accept);
    }

    private static void configure(AwsClientBuilder<?, ?> builder) {
        builder.region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")));
    }

    private static UserClientSettings ofLeases(AssertableApplicationContext context) {
        DynamoDbAsyncClient client = context.getBean(CLIENT, DynamoDbAsyncClient.class);
        return UserClientSettings.of(CLIENT, client, client.serviceClientConfiguration());
    }

    @Test
    void fipsDualstackAndAccountIdEndpointsAreTakenOver() {
        Consumer<DynamoDbBaseClientBuilder<?, ?>> settings = builder ->
                builder.fipsEnabled(true).dualstackEnabled(true).accountIdEndpointMode(AccountIdEndpointMode.REQUIRED);
        Consumer<AssertableApplicationContext> test = context -> {
            assertThat(ofLeases(context).fips()).isTrue();
            assertThat(ofLeases(context).dualstack()).isTrue();
            assertThat(ofLeases(context).accountId()).isEqualTo(AccountIdEndpointMode.REQUIRED);
        };

        runWithSync(settings, test);
        runWithAsync(settings, test);
    }

    @Test
    void aPlainClientStaysPlain() {
        Consumer<AssertableApplicationContext> test = context -> {
            assertThat(ofLeases(context).fips()).isNotEqualTo(true);
            assertThat(ofLeases(context).dualstack()).isNotEqualTo(true);
        };

        runWithSync(builder -> {}, test);
        runWithAsync(builder -> {}, test);
    }

    @Test
    void headersMetricPublishersAndTheAppIdAreTakenOver() {
        MetricPublisher publisher = new MetricPublisher() {
            @Override
            public void publish(MetricCollection metrics) {}

            @Override
            public void close() {}
        };
        runWithSync(
                builder -> builder.overrideConfiguration(o -> o.putHeader("X-Gateway", "a")
                        .addMetricPublisher(publisher)
                        .appId("shop")),
                context -> {
                    UserClientSettings ofLeases = ofLeases(context);
                    assertThat(ofLeases.headers()).containsEntry("X-Gateway", List.of("a"));
                    assertThat(ofLeases.publishers()).containsExactly(publisher);
                    assertThat(ofLeases.appId()).isEqualTo("shop");
                });
    }

    @Test
    void retriesAreNotTakenOver() {
        runWithSync(
                builder -> builder.overrideConfiguration(o -> o.retryStrategy(retries -> retries.maxAttempts(7))),
                context -> assertThat(context.getBean(CLIENT, DynamoDbAsyncClient.class)
                                .serviceClientConfiguration()
                                .overrideConfiguration()
                                .retryStrategy())
                        .hasValueSatisfying(
                                strategy -> assertThat(strategy.maxAttempts()).isOne()));
    }

    @Test
    void anInterceptorIsNotTakenOverNotCalledAndWarnedOfByItsName(CapturedOutput output) {
        runWithSync(builder -> builder.overrideConfiguration(o -> o.addExecutionInterceptor(counting)), context -> {
            assertThat(ofLeases(context).interceptors()).isEmpty();
            assertThat(counting.calls).hasValue(0);
            assertThat(output)
                    .contains("WARN")
                    .contains("lacks settings of the bean 'theirs': interceptor " + Counting.class.getName())
                    .contains("LeaseDynamoDbClientCustomizer");
        });
    }

    @Test
    void aClientWhoseSettingsAreAllTakenOverIsNoWarning(CapturedOutput output) {
        runWithSync(builder -> builder.fipsEnabled(true), context -> {
            assertThat(ofLeases(context).fips()).isTrue();
            assertThat(output)
                    .doesNotContain("WARN  [")
                    .contains("but not with its HTTP client: a proxy or trust store");
        });
    }

    @Test
    void anInterceptorThatACustomizerSetsIsNoWarning(CapturedOutput output) {
        TestClients.runner(new NoHttp())
                .withBean("theirs", DynamoDbClient.class, () -> {
                    var builder = DynamoDbClient.builder();
                    configure(builder);
                    return builder.overrideConfiguration(o -> o.addExecutionInterceptor(counting))
                            .build();
                })
                .withBean(
                        "interceptor",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.overrideConfiguration(builder.overrideConfiguration()
                                .copy(override -> override.addExecutionInterceptor(counting))))
                .run(context -> {
                    assertThat(ofLeases(context).interceptors()).containsExactly(Counting.class.getName());
                    assertThat(output).doesNotContain("WARN  [");
                });
    }

    @Test
    void readingSettingsLoadsNoCredentialsAndSendsNothing() {
        AtomicInteger calls = new AtomicInteger();
        NoHttp http = new NoHttp() {
            @Override
            public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
                calls.incrementAndGet();
                return super.execute(request);
            }
        };
        DynamoDbAsyncClient client = DynamoDbAsyncClient.builder()
                .httpClient(http)
                .region(Region.US_EAST_1)
                .fipsEnabled(true)
                .credentialsProvider(() -> {
                    calls.incrementAndGet();
                    return AwsBasicCredentials.create("id", "secret");
                })
                .build();

        UserClientSettings settings = UserClientSettings.of("theirs", client, client.serviceClientConfiguration());

        assertThat(settings.fips()).isTrue();
        assertThat(settings.explicitHttp()).isTrue();
        assertThat(calls).hasValue(0);
    }

    // ---- the HTTP client

    private static final ProxyConfiguration PROXY =
            ProxyConfiguration.builder().host("proxy").port(3128).build();

    static Stream<Consumer<AwsAsyncClientBuilder<?, ?>>> explicit() {
        return Stream.of(
                builder -> builder.httpClient(new NoHttp()),
                builder -> builder.httpClientBuilder(
                        NettyNioAsyncHttpClient.builder().proxyConfiguration(PROXY)));
    }

    /** The HTTP client of leases is Netty's, unless a customizer sets another one. */
    private static ApplicationContextRunner runner(Consumer<AwsAsyncClientBuilder<?, ?>> http) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseDynamoDbAutoConfiguration.class))
                .withBean("theirs", DynamoDbAsyncClient.class, () -> {
                    var builder = DynamoDbAsyncClient.builder();
                    configure(builder);
                    http.accept(builder);
                    return builder.build();
                });
    }

    @ParameterizedTest
    @MethodSource("explicit")
    void anExplicitHttpClientIsWarnedOf(Consumer<AwsAsyncClientBuilder<?, ?>> http, CapturedOutput output) {
        runner(http).run(context -> {
            assertThat(context).getBean(CLIENT).isNotNull();
            assertThat(output)
                    .contains("WARN")
                    .contains("lacks settings of the bean 'theirs': the HTTP client, which may have a proxy or a trust"
                            + " store; set what leases need by a LeaseDynamoDbClientCustomizer bean");
        });
    }

    @Test
    void anExplicitSynchronousHttpClientIsWarnedOf(CapturedOutput output) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseDynamoDbAutoConfiguration.class))
                .withBean("theirs", DynamoDbClient.class, () -> {
                    var builder = DynamoDbClient.builder();
                    configure(builder);
                    return builder.httpClientBuilder(UrlConnectionHttpClient.builder())
                            .build();
                })
                .run(context -> {
                    assertThat(context).getBean(CLIENT).isNotNull();
                    assertThat(output).contains("lacks settings of the bean 'theirs': the HTTP client");
                });
    }

    @ParameterizedTest
    @MethodSource("explicit")
    void anHttpClientThatACustomizerSetsIsNoWarning(Consumer<AwsAsyncClientBuilder<?, ?>> http, CapturedOutput output) {
        runner(http)
                .withBean(
                        "http",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.httpClientBuilder(new NoHttp()))
                .run(context -> {
                    assertThat(context).getBean(CLIENT).isNotNull();
                    assertThat(output).doesNotContain("WARN  [").contains("Leases use a DynamoDB client of their own");
                });
    }

    @Test
    void theSdksOwnHttpClientIsNoWarning(CapturedOutput output) {
        runner(builder -> {}).run(context -> {
            assertThat(context).getBean(CLIENT).isNotNull();
            assertThat(output).doesNotContain("WARN  [").contains("Leases use a DynamoDB client of their own");
        });
    }

    private static final class Counting implements ExecutionInterceptor {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes executionAttributes) {
            calls.incrementAndGet();
        }
    }
}
