package io.leasekit.spring.autoconfigure;

import static io.leasekit.spring.autoconfigure.LeaseDynamoDbAutoConfiguration.CLIENT;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.net.URI;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.utils.AttributeMap;

/** DynamoDB clients of applications, and helpers that examine the client of the leases. */
final class TestClients {

    private TestClients() {}

    /** Returns a context with the auto-configuration and an HTTP client that closes at once; Netty's takes 2 s. */
    static ApplicationContextRunner runner(NoHttp http) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LeaseDynamoDbAutoConfiguration.class))
                .withBean(
                        "noHttp",
                        LeaseDynamoDbClientCustomizer.class,
                        () -> builder -> builder.httpClientBuilder(http));
    }

    static LeaseClientConnection connection(AssertableApplicationContext context) {
        return connection(context, CLIENT);
    }

    static LeaseClientConnection connection(AssertableApplicationContext context, String client) {
        return LeaseClientConnection.of(
                context.getBean(client, DynamoDbAsyncClient.class).serviceClientConfiguration());
    }

    static Throwable setupFailure(AssertableApplicationContext context, String bean) {
        Throwable failure = catchThrowable(() -> context.getBean(bean));
        while (failure != null && !(failure instanceof LeaseSetupException)) {
            failure = failure.getCause();
        }
        return failure;
    }

    static String[] connectionProperties() {
        return new String[] {
            "lease.dynamodb.endpoint=http://localhost:8000",
            "lease.dynamodb.region=us-east-2",
            "lease.dynamodb.access-key=id",
            "lease.dynamodb.secret-key=secret"
        };
    }

    static class NoHttp implements SdkAsyncHttpClient, SdkAsyncHttpClient.Builder<NoHttp> {

        boolean closed;

        @Override
        public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
            return new CompletableFuture<>();
        }

        @Override
        public SdkAsyncHttpClient buildWithDefaults(AttributeMap defaults) {
            return this;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SyncClient {

        static final AnonymousCredentialsProvider CREDENTIALS = AnonymousCredentialsProvider.create();

        @Bean
        DynamoDbClient syncClient() {
            return DynamoDbClient.builder()
                    .region(Region.EU_WEST_1)
                    .credentialsProvider(CREDENTIALS)
                    .endpointOverride(URI.create("http://sync:8000"))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherSyncClient {

        @Bean
        DynamoDbClient otherSyncClient() {
            return DynamoDbClient.builder().region(Region.EU_WEST_2).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryClient {

        @Bean
        @Primary
        DynamoDbClient primaryClient() {
            return DynamoDbClient.builder().region(Region.AP_EAST_1).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsyncClient {

        @Bean
        DynamoDbAsyncClient asyncClient() {
            return DynamoDbAsyncClient.builder()
                    .httpClientBuilder(new NoHttp())
                    .region(Region.EU_NORTH_1)
                    .build();
        }

        @Bean
        Injected injected(DynamoDbAsyncClient client) {
            return new Injected(client);
        }
    }

    record Injected(DynamoDbAsyncClient client) {}

    @Configuration(proxyBeanMethods = false)
    static class QualifiedClient {

        @Bean
        @Qualifier(CLIENT)
        DynamoDbAsyncClient ofTheApplication() {
            return new SilentClient();
        }
    }

    /** Inherits {@code serviceClientConfiguration()}, which throws, like a DAX client. */
    static class SilentClient implements DynamoDbAsyncClient {

        @Override
        public String serviceName() {
            return "silent";
        }

        @Override
        public void close() {}
    }
}
